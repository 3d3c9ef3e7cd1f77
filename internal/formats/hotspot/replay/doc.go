// Package replay takes HotSpot's replay files in and gives them out again.
package replay
