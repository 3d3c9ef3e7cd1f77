package layout

import "testing"

func TestWholeSignaturesComeApart(t *testing.T) {
	for whole, want := range map[string]Key{
		"java/nio/B.put(Ljava/nio/B;)V": {Class: "java/nio/B", Name: "put", Signature: "(Ljava/nio/B;)V"},
		"java/nio/B.put(Ljava/n":        {Class: "java/nio/B", Name: "put", Signature: "(Ljava/n"},
		"java/nio/B.pu":                 {Class: "java/nio/B", Name: "pu"},
		"A.<init>()V":                   {Class: "A", Name: "<init>", Signature: "()V"},
		"main(I.J)V":                    {Name: "main", Signature: "(I.J)V"},
		"main":                          {Name: "main"},
	} {
		t.Run(whole, func(t *testing.T) {
			if got := (Key{Name: whole}).Split(DomainJamaica); got != want {
				t.Errorf("%s: %+v, want %+v", whole, got, want)
			}
			if got := (Key{Name: whole}).Split(DomainLLVMIR); got != (Key{Name: whole}) {
				t.Errorf("%s: %+v in a domain of whole names", whole, got)
			}
		})
	}
}
