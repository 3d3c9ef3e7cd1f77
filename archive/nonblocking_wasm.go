package archive

// nonBlocking is nothing: here are no pipes.
const nonBlocking = 0
