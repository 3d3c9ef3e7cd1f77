// Package ledger keeps the accounts of an archive: what its inputs held, what was lost, and what is in it. For each
// [Unit],
//
//	total of the inputs + gains = counts in the archive + losses
//
// The side that reads an input counts it before any decision. The side that writes the archive counts what it writes.
// [Account.Residual] is the difference. An importer that drops a count without a word cannot hide it.
//
// An account is stored in the tables inputs and losses; docs/format-tables.md describes them. A merge adds up accounts.
// Package ledger/archived counts an archive and reads its account.
package ledger
