// Package prefetch brings memory on its way into the caches and waits for none of
// it, so that many waits become one. It is in assembly, since Go has no other way.
// The instruction cannot fault, wherever it points.
package prefetch
