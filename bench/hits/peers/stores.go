package peers

import (
	"encoding/binary"
	"errors"
	"os"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"go.etcd.io/bbolt"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// counterOf returns the counter with which a value begins.
func counterOf(value []byte) uint64 { return binary.LittleEndian.Uint64(value) }

var bucket = []byte("profiles")

// A bolt reads within one transaction.
type bolt struct {
	db *bbolt.DB
	tx *bbolt.Tx
	b  *bbolt.Bucket
}

func fillBolt(path string, records []record) (store, error) {
	os.Remove(path)
	db, err := bbolt.Open(path, 0o666, &bbolt.Options{NoSync: true, NoFreelistSync: true})
	if err != nil {
		return nil, err
	}
	for len(records) > 0 && err == nil {
		part := records[:min(len(records), 50_000)]
		records = records[len(part):]
		err = db.Update(func(tx *bbolt.Tx) error { return putAll(tx, part) })
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	tx, err := db.Begin(false)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &bolt{db, tx, tx.Bucket(bucket)}, nil
}

func putAll(tx *bbolt.Tx, records []record) error {
	b, err := tx.CreateBucketIfNotExists(bucket)
	if err != nil {
		return err
	}
	b.FillPercent = 1 // keys come in order
	for _, r := range records {
		if err := b.Put(r.key, r.value); err != nil {
			return err
		}
	}
	return nil
}

func (s *bolt) count(key []byte) uint64 {
	if value := s.b.Get(key); value != nil {
		return counterOf(value)
	}
	return 0
}

func (s *bolt) close() error { return errors.Join(s.tx.Rollback(), s.db.Close()) }

// A rocks is a Pebble.
type rocks struct{ db *pebble.DB }

func fillPebble(path string, records []record) (store, error) {
	os.RemoveAll(path)
	level := pebble.LevelOptions{Compression: pebble.NoCompression, FilterPolicy: bloom.FilterPolicy(10)}
	o := &pebble.Options{Cache: pebble.NewCache(2 << 30), DisableWAL: true,
		Levels: []pebble.LevelOptions{level, level, level, level, level, level, level}, Logger: quiet{}}
	db, err := pebble.Open(path, o)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if err := db.Set(r.key, r.value, pebble.NoSync); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	last := append([]byte(nil), records[len(records)-1].key...)
	if err := errors.Join(db.Flush(), db.Compact(records[0].key, append(last, 0), false)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &rocks{db}, nil
}

func (s *rocks) count(key []byte) uint64 {
	value, closer, err := s.db.Get(key)
	if err != nil {
		return 0
	}
	defer closer.Close()
	return counterOf(value)
}

func (s *rocks) close() error { return s.db.Close() }

// quiet is a logger that says nothing.
type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { pebble.DefaultLogger.Fatalf(format, args...) }

// A lite is SQLite with a prepared statement.
type lite struct {
	conn *sqlite.Conn
	get  *sqlite.Stmt
}

func fillSQLite(path string, records []record) (store, error) {
	os.Remove(path)
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	s := &lite{conn: conn}
	if err := s.fill(records); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

func (s *lite) fill(records []record) error {
	err := s.execute("pragma journal_mode = off", "pragma synchronous = off", "pragma cache_size = -2000000",
		"pragma mmap_size = 8000000000", "create table profiles (key blob primary key, value blob) without rowid", "begin")
	if err != nil {
		return err
	}
	put := s.conn.Prep("insert into profiles values (?, ?)")
	for _, r := range records {
		put.BindBytes(1, r.key)
		put.BindBytes(2, r.value)
		if _, err := put.Step(); err != nil {
			return err
		}
		if err := put.Reset(); err != nil {
			return err
		}
	}
	s.get = s.conn.Prep("select value from profiles where key = ?")
	return s.execute("commit", "begin", "select count(*) from profiles")
}

func (s *lite) execute(statements ...string) error {
	for _, text := range statements {
		if err := sqlitex.ExecuteTransient(s.conn, text, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *lite) count(key []byte) uint64 {
	s.get.BindBytes(1, key)
	defer s.get.Reset()
	if found, err := s.get.Step(); !found || err != nil {
		return 0
	}
	var counter [8]byte
	s.get.ColumnBytes(0, counter[:])
	return counterOf(counter[:])
}

func (s *lite) close() error { return s.conn.Close() }
