package mapped

// NonBlocking is 0, since wasm has no pipes.
const NonBlocking = 0
