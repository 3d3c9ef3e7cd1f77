package specimen

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// newJamaica has bytecodes, cycles with the interpreter's mark, native calls, arrays, callees, and tables of heap and
// threads. One of the method signatures is truncated.
func newJamaica() *builder.Builder {
	b := builder.New(layout.DomainJamaica, builder.Config{Producer: "JamaicaVM 8.9"})
	method := func(signature string) builder.MethodRef { return b.Method(layout.Key{Name: signature}) }
	main := method("HelloWorld.main([Ljava/lang/String;)V")
	println := method("java/io/PrintStream.println(Ljava/lang/String;)V")
	native := method("java/lang/System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V")
	cut := method("java/nio/ByteBufferImpl.put(B)Ljava/nio/ByteBu")
	b.Internal().DescribeMethod(cut, 0, layout.MethodNotMatchable)
	b.Internal().DescribeMethod(native, disk.AccNative, 0)

	p := b.ProfileIn(main, 0, profileset.NoContext)
	p.Count(builder.Count{Sub: layout.SubBytecodes, N: 8158752})
	p.Count(builder.Count{Sub: layout.SubCycles, Flags: disk.EntryInterpreted, N: 25264930944})
	p.Count(builder.Count{Sub: layout.SubCycles, N: 17})
	p.Count(builder.Count{Point: 12, Sub: layout.SubNewArrays, N: 3})
	p.Callees(7, builder.Callee{Method: println, Count: 5}, builder.Callee{Method: native, Count: 6})
	p.Callees(9, builder.Callee{Method: main, Count: 1})
	q := b.ProfileIn(native, 0, profileset.NoContext)
	q.Count(builder.Count{Sub: layout.SubNativeCalls, N: 400})
	r := b.ProfileIn(cut, 0, profileset.NoContext)
	r.Count(builder.Count{Sub: layout.SubBytecodes, N: 6459012})
	finishProfiles(p, q, r)
	addJamaicaTables(b)
	return b
}

func addJamaicaTables(b *builder.Builder) {
	table := func(kind disk.TableKind) *profileset.Table { return b.Internal().Table(kind, 0) }
	object := uint64(b.Type(builder.TypeKey{Name: "java.lang.Object"}))
	text := uint64(b.Type(builder.TypeKey{Name: "java.lang.String"}))
	table(disk.TableHeapRefs).Row(4711, 9000)
	use := table(disk.TableHeapUse)
	use.Row(object, 10, 1, 32, 320, 0)
	use.Row(text, 20, 1, 32, 640, 2)
	instances := table(disk.TableInstances)
	instances.Row(text, 300, 1, 300, 9600, 0, uint64(b.Internal().Symbol("boot")))
	instances.Row(object, 5, 1, 5, 160, 0, 0)
	table(disk.TableThreads).Row(5, 30000000000, 60, 25, 10, 5, 20480, 8192)
	table(disk.TableReflected).Row(text)
	table(disk.TableDumps).Row(1, 2, 1700000000000000000, uint64(layout.WeightOne))
}
