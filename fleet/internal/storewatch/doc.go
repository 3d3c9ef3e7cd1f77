// Package storewatch merges the profiles that processes have put into an object store, or into a folder that machines
// share, into one archive there. Each of them counts once, however often a job is killed, and however many run at once.
//
// # Steps
//
// A job lists the objects, fetches the archive with its version, merges the objects that the archive does not have, and
// replaces the archive if it still has that version. The store checks this condition in the same step as it writes
// (If-Match and If-None-Match on S3 and Azure, the generation on Google Cloud Storage, and a lock in a folder). If
// another job was first, the job begins again with the new archive. No step before the replacement changes the store,
// and the archive has its counts and the table of the dumps that they come from. So a kill at any time leaves the old
// archive or the new one, and the next job sees which objects are in it.
//
// # Duplicates
//
// An archive among the objects is identified by its dump ids. Any other object gets a [counted.ID] by its key, content
// and time. A key means one object. If its content changes after it was merged, it is set aside,
// since it can have the counts that were merged.
//
// # The account
//
// Each object that is set aside, and each that is missing, is in the account of the archive, so that its users see what
// it lacks. The row of an object disappears when the object is merged after all.
package storewatch
