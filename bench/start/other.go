//go:build !linux

package main

// linuxTables returns nothing: these tables need calls of Linux.
func linuxTables(string, options) ([]table, error) { return nil, nil }
