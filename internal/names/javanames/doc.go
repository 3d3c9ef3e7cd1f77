// Package javanames converts names of classes, types and methods between class files, HotSpot and archives.
//
// HotSpot has three forms of a class. Its internal name is java/util/Map$Entry. Its external name, in headers, is
// java.util.Map$Entry. As a type it is printed as 'java/util/Map$Entry', 'java/util/Map$Entry'[] or {type array byte}.
// Archives have the internal name, or the descriptor of an array.
package javanames
