// Command iprof measures archives of GraalVM's profiles against the JSON that
// they come from, in one run, and prints the tables that stand in the README of
// the benches:
//
//	go run ./bench/iprof -mb 100
//
// The JSON is a recorded profile of 4 MB, where the samples lie beside the
// project, and synthetic ones of 4 MB and of -mb, in which types, methods and
// calling contexts stand to each other as in the recorded one. encoding/json
// decodes them into plain structs.
package main
