//go:build !linux

package mmap

func adviseLarge([]byte) {}
