// Package names translates names of classes, types and methods between class files, HotSpot and archives.
//
// HotSpot knows three forms of a class. Its internal name is java/util/Map$Entry; its external name, in
// headers, java.util.Map$Entry; and as a type it is printed as 'java/util/Map$Entry', 'java/util/Map$Entry'[]
// or {type array byte}. Archives have the internal name, for arrays the descriptor.
package javanames
