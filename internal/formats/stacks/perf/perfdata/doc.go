// Package perfdata reads the files of perf record: the file perf.data, and the stream of perf record -o -.
//
//	header | attributes of events, ids | records | features
//
// A record has a type and a size. Those of the kernel are samples, and events in the life of processes. Samples have
// the fields that the sample type of their attribute selects. Features have the names of events and the build ids of
// files. See linux/include/uapi/linux/perf_event.h and linux/tools/perf/Documentation/perf.data-file-format.txt.
//
// Read needs memory in proportion to the file. It checks every size and count against the bytes that are there.
package perfdata
