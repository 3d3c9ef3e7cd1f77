package mapped

// NonBlocking is nothing: here are no pipes.
const NonBlocking = 0
