package live

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/hotspot/compilelog"
	"github.com/profarc/profarc/layout"
)

// inlinedLevel is the level of C2's code. A log has only inlining by C2.
const inlinedLevel = 4

// addInlined records the calls that C2 inlined into recorded methods, each as the calling context of the inlined
// method. The log has no loaders, so calls of hidden classes and of classes with equal names are omitted with all
// calls inside them.
func (b *build) addInlined(nodes []compilelog.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	classes := b.classesByName()
	refs := make([]builder.MethodRef, len(nodes)) // 0 if omitted
	for i, n := range nodes {
		if err := b.meter.names.spendUnits(len(n.Method.Class) + len(n.Method.Name) + len(n.Method.Descriptor)); err != nil {
			return err
		}
		class, ok := classes[n.Method.Class]
		if !ok || class.name == "" || n.Parent >= 0 && refs[n.Parent] == 0 {
			continue
		}
		key := layout.Key{Class: class.name, Name: n.Method.Name, Signature: n.Method.Descriptor, Loader: class.loader}
		if n.Parent < 0 {
			refs[i] = b.keys[key]
			continue
		}
		b.internType(class)
		refs[i] = b.Method(key)
		context := b.Context(refs[i], callerFrames(nodes, refs, i)...)
		b.Internal().Table(disk.TableInlining, 0).Row(uint64(context), inlinedLevel, 1)
		b.report.Inlined++
	}
	return b.meter.end
}

// callerFrames returns the callers of a node, the direct one first.
func callerFrames(nodes []compilelog.Node, refs []builder.MethodRef, i int) (all []builder.Frame) {
	for ; nodes[i].Parent >= 0; i = nodes[i].Parent {
		all = append(all, builder.Frame{Caller: refs[nodes[i].Parent], Point: nodes[i].Bci})
	}
	return all
}

// classesByName returns the classes of the VM by name. The value has no name if several classes have that name.
func (b *build) classesByName() map[string]klassName {
	classes := map[string]klassName{}
	for addr := range b.snap.klasses {
		k, err := b.classAt(addr)
		if err != nil || !isOrdinaryName(k.name) {
			continue
		}
		if _, twice := classes[k.name]; twice {
			classes[k.name] = klassName{}
			continue
		}
		classes[k.name] = k
	}
	return classes
}
