import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.Elements;
import javax.tools.*;

/**
 * Edits Java sources as people do, many times over, and compiles each version.
 *
 * java Edit.java SOURCES OUT SEED ROUNDS EDITS OPTION... compiles the sources to
 * OUT/old, prints "ready", and reads the methods that a run found hot from stdin,
 * one Class.name a line up to an empty one. Then it makes ROUNDS versions of the
 * program, OUT/1 and so on, each with up to EDITS edits in different methods, and
 * prints for each edit: round, kind, class, method, all with tabs between them.
 * Nothing that an edit does changes what the program computes.
 */
public class Edit {
    /** A piece of text that takes the place of another. */
    record Replacement(Source source, int from, int to, String text) {}

    /** One edit of one method; several methods change with a member that is renamed. */
    record Change(String kind, String owner, String method, List<Replacement> replacements) {
        Source source() { return replacements.get(0).source; }
    }

    /** A source file. */
    record Source(Path path, String text, CompilationUnitTree unit) {
        String at(SourcePositions places, Tree tree) {
            return text.substring((int) places.getStartPosition(unit, tree), (int) places.getEndPosition(unit, tree));
        }
    }

    final Path sources, out;
    final List<String> options;
    final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    final List<Source> files = new ArrayList<>();
    final List<Change> changes = new ArrayList<>();
    final Map<String, Integer> used = new TreeMap<>();
    Trees trees;
    SourcePositions places;
    Elements elements;

    Edit(Path sources, Path out, List<String> options) {
        this.sources = sources;
        this.out = out;
        this.options = options;
    }

    public static void main(String[] args) throws Exception {
        Edit e = new Edit(Path.of(args[0]), Path.of(args[1]), List.of(args).subList(5, args.length));
        e.parse();
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
        if (!e.compile(Map.of(), e.out.resolve("old"), errors)) {
            throw new IllegalStateException("the sources do not compile: " + errors);
        }
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Set<String> hot = new TreeSet<>();
        for (String line; (line = in.readLine()) != null && !line.isEmpty(); ) {
            hot.add(line);
        }
        e.find(hot);
        Random random = new Random(Long.parseLong(args[2]));
        for (int round = 1; round <= Integer.parseInt(args[3]); round++) {
            e.round(round, random, Integer.parseInt(args[4]));
        }
        System.out.println("done");
    }

    void parse() throws IOException {
        List<Path> paths;
        try (Stream<Path> all = Files.walk(sources)) {
            paths = all.filter(p -> p.toString().endsWith(".java")).sorted().toList();
        }
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        JavacTask task = (JavacTask) compiler.getTask(null, manager, d -> {}, options, null, manager.getJavaFileObjectsFromPaths(paths));
        trees = Trees.instance(task);
        places = trees.getSourcePositions();
        elements = task.getElements();
        Map<Path, CompilationUnitTree> units = new HashMap<>();
        for (CompilationUnitTree unit : task.parse()) {
            units.put(Path.of(unit.getSourceFile().toUri()), unit);
        }
        task.analyze();
        for (Path p : paths) {
            files.add(new Source(p, Files.readString(p), units.get(p.toAbsolutePath())));
        }
    }

    /** Compiles the sources, some of them with another text. */
    boolean compile(Map<Source, String> texts, Path to, List<Diagnostic<? extends JavaFileObject>> errors) throws IOException {
        Files.createDirectories(to);
        List<JavaFileObject> inputs = new ArrayList<>();
        for (Source s : files) {
            String text = texts.getOrDefault(s, s.text);
            inputs.add(new SimpleJavaFileObject(s.path.toUri(), JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignored) {
                    return text;
                }
            });
        }
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("-d", to.toString(), "-nowarn", "-Xmaxerrs", "1000"));
        return compiler.getTask(null, null, d -> {
            if (d.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(d);
            }
        }, all, null, inputs).call();
    }

    /** Finds everything that could be edited in hot methods. */
    void find(Set<String> hot) {
        for (Source s : files) {
            new Finder(this, s, hot).scan(s.unit, null);
        }
    }

    /** Makes one version, of kinds of edits that it has least of. */
    void round(int round, Random random, int most) throws IOException {
        List<Change> order = new ArrayList<>(changes);
        Collections.shuffle(order, random);
        if (perMethod(round) > 1) { // method by method
            Map<String, Integer> first = new HashMap<>();
            order.forEach(c -> first.putIfAbsent(c.owner + "." + c.method, first.size()));
            order.sort(Comparator.comparingInt(c -> first.get(c.owner + "." + c.method)));
        }
        List<Change> chosen = new ArrayList<>();
        Map<String, Integer> touched = new HashMap<>();
        Map<String, Integer> ofKind = new HashMap<>();
        for (int limit = 1; chosen.size() < most && limit <= most; limit++) {
            for (Change c : order) {
                int n = perMethod(round) > 1 ? 0 : ofKind.getOrDefault(c.kind, 0);
                if (n < limit && chosen.size() < most && touched.getOrDefault(c.owner + "." + c.method, 0) < perMethod(round) && chosen.stream().noneMatch(d -> overlap(c, d))) {
                    chosen.add(c);
                    touched.merge(c.owner + "." + c.method, 1, Integer::sum);
                    ofKind.put(c.kind, n + 1);
                }
            }
        }
        for (int attempt = 0; attempt < 8; attempt++) {
            List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
            if (compile(apply(chosen), out.resolve("" + round), errors)) {
                chosen.forEach(c -> System.out.println(round + "\t" + c.kind + "\t" + c.owner + "\t" + c.method));
                changes.removeAll(chosen);
                return;
            }
            changes.removeAll(drop(chosen, errors));
        }
        throw new IllegalStateException("round " + round + " does not compile");
    }

    /** How many edits a method may have: every third version has several. */
    static int perMethod(int round) {
        return round % 3 == 0 ? 4 : 1;
    }

    static boolean overlap(Change c, Change d) {
        return c.replacements.stream().anyMatch(r -> d.replacements.stream().anyMatch(q ->
            r.source == q.source && r.from < q.to && q.from < r.to || r.source == q.source && r.from == q.from));
    }

    Map<Source, String> apply(List<Change> chosen) {
        Map<Source, List<Replacement>> by = new HashMap<>();
        chosen.forEach(c -> c.replacements.forEach(r -> by.computeIfAbsent(r.source, s -> new ArrayList<>()).add(r)));
        Map<Source, String> texts = new HashMap<>();
        by.forEach((s, list) -> {
            list.sort(Comparator.comparingInt(r -> -r.from));
            StringBuilder b = new StringBuilder(s.text);
            list.forEach(r -> b.replace(r.from, r.to, r.text));
            texts.put(s, b.toString());
        });
        return texts;
    }

    /** Drops the edits that errors lie in or near. */
    List<Change> drop(List<Change> chosen, List<Diagnostic<? extends JavaFileObject>> errors) {
        Set<Change> bad = new LinkedHashSet<>();
        for (var e : errors) {
            Source s = files.stream().filter(f -> e.getSource() != null && f.path.toUri().equals(e.getSource().toUri())).findFirst().orElse(null);
            Change nearest = null;
            long distance = Long.MAX_VALUE;
            for (Change c : chosen) {
                for (Replacement r : c.replacements) {
                    long d = r.source == s ? Math.abs(moved(chosen, r) - e.getPosition()) : Long.MAX_VALUE - 1;
                    if (r.source == s && e.getPosition() >= moved(chosen, r) && e.getPosition() <= moved(chosen, r) + r.text.length()) {
                        d = 0;
                    }
                    if (d < distance) {
                        distance = d;
                        nearest = c;
                    }
                }
            }
            if (nearest != null) {
                bad.add(nearest);
            }
        }
        chosen.removeAll(bad);
        return List.copyOf(bad);
    }

    /** Where a replacement lies in the new text. */
    static long moved(List<Change> chosen, Replacement r) {
        return r.from + chosen.stream().flatMap(c -> c.replacements.stream()).filter(q -> q.source == r.source && q.from < r.from)
            .mapToLong(q -> q.text.length() - (q.to - q.from)).sum();
    }
}

/** Finds what could be edited. */
class Finder extends TreePathScanner<Void, Void> {
    final Edit edit;
    final Edit.Source source;
    final Set<String> hot;
    String owner, method; // that is gone through, null outside of hot ones
    boolean constructor, isStatic, generic;
    int made; // names that were made up

    Finder(Edit edit, Edit.Source source, Set<String> hot) {
        this.edit = edit;
        this.source = source;
        this.hot = hot;
    }

    // --- text and types ---

    int from(Tree t) { return (int) edit.places.getStartPosition(source.unit(), t); }
    int to(Tree t) { return (int) edit.places.getEndPosition(source.unit(), t); }
    String text(Tree t) { return source.at(edit.places, t); }
    TypeMirror type(Tree t) { return edit.trees.getTypeMirror(new TreePath(getCurrentPath(), t)); }

    Element element(Tree t) { return edit.trees.getElement(new TreePath(getCurrentPath(), t)); }

    boolean integral(Tree t) {
        TypeMirror type = type(t);
        return type != null && type.getKind().isPrimitive() && type.getKind() != TypeKind.FLOAT && type.getKind() != TypeKind.DOUBLE && type.getKind() != TypeKind.BOOLEAN;
    }

    /** An expression without side effects, whose value does not depend on when it is computed among others of the kind. */
    boolean pure(Tree t) { return !has(t, Tree.Kind.METHOD_INVOCATION, Tree.Kind.NEW_CLASS, Tree.Kind.NEW_ARRAY, Tree.Kind.LAMBDA_EXPRESSION, Tree.Kind.MEMBER_REFERENCE) && !writes(t); }

    /** A pure expression that cannot throw. */
    boolean safe(Tree t) { return pure(t) && !has(t, Tree.Kind.MEMBER_SELECT, Tree.Kind.ARRAY_ACCESS, Tree.Kind.DIVIDE, Tree.Kind.REMAINDER, Tree.Kind.TYPE_CAST) && !unboxes(t); }

    boolean unboxes(Tree t) {
        boolean[] found = {false};
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree i, Void v) {
                TypeMirror type = edit.trees.getTypeMirror(getCurrentPath());
                found[0] |= type != null && type.getKind() == TypeKind.DECLARED && type.toString().startsWith("java.lang.") && !type.toString().equals("java.lang.Object") && !type.toString().equals("java.lang.String");
                return null;
            }
        }.scan(new TreePath(getCurrentPath(), t), null);
        return found[0];
    }

    boolean has(Tree t, Tree.Kind... kinds) {
        Set<Tree.Kind> wanted = Set.of(kinds);
        boolean[] found = {false};
        new TreeScanner<Void, Void>() {
            @Override
            public Void scan(Tree x, Void v) {
                found[0] |= x != null && wanted.contains(x.getKind());
                return super.scan(x, v);
            }
        }.scan(t, null);
        return found[0];
    }

    boolean writes(Tree t) {
        boolean[] found = {false};
        new TreeScanner<Void, Void>() {
            @Override
            public Void scan(Tree x, Void v) {
                found[0] |= x instanceof AssignmentTree || x instanceof CompoundAssignmentTree || x != null && Set.of(Tree.Kind.PREFIX_INCREMENT, Tree.Kind.PREFIX_DECREMENT,
                    Tree.Kind.POSTFIX_INCREMENT, Tree.Kind.POSTFIX_DECREMENT).contains(x.getKind());
                return super.scan(x, v);
            }
        }.scan(t, null);
        return found[0];
    }

    boolean binds(Tree t) { return has(t, Tree.Kind.BINDING_PATTERN); }

    static final Map<Tree.Kind, String> OPPOSITE = Map.of(Tree.Kind.EQUAL_TO, "!=", Tree.Kind.NOT_EQUAL_TO, "==", Tree.Kind.LESS_THAN, ">=",
        Tree.Kind.GREATER_THAN_EQUAL, "<", Tree.Kind.GREATER_THAN, "<=", Tree.Kind.LESS_THAN_EQUAL, ">");
    static final Map<Tree.Kind, String> MIRRORED = Map.of(Tree.Kind.EQUAL_TO, "==", Tree.Kind.NOT_EQUAL_TO, "!=", Tree.Kind.LESS_THAN, ">",
        Tree.Kind.GREATER_THAN_EQUAL, "<=", Tree.Kind.GREATER_THAN, "<", Tree.Kind.LESS_THAN_EQUAL, ">=");

    static ExpressionTree bare(ExpressionTree t) {
        while (t instanceof ParenthesizedTree p) {
            t = p.getExpression();
        }
        return t;
    }

    /** The negation of a condition. */
    String not(ExpressionTree condition) {
        ExpressionTree c = bare(condition);
        if (c.getKind() == Tree.Kind.LOGICAL_COMPLEMENT) {
            return text(((UnaryTree) c).getExpression());
        }
        if (c instanceof BinaryTree b) {
            boolean exact = b.getKind() == Tree.Kind.EQUAL_TO || b.getKind() == Tree.Kind.NOT_EQUAL_TO || integral(b.getLeftOperand()) && integral(b.getRightOperand());
            if (OPPOSITE.containsKey(b.getKind()) && exact) {
                return text(b.getLeftOperand()) + " " + OPPOSITE.get(b.getKind()) + " " + text(b.getRightOperand());
            }
            if (b.getKind() == Tree.Kind.CONDITIONAL_AND || b.getKind() == Tree.Kind.CONDITIONAL_OR) {
                String or = b.getKind() == Tree.Kind.CONDITIONAL_AND ? " || " : " && ";
                return "(" + not(b.getLeftOperand()) + ")" + or + "(" + not(b.getRightOperand()) + ")";
            }
        }
        return "!(" + text(c) + ")";
    }

    static boolean jumps(StatementTree s) {
        if (s instanceof BlockTree b) {
            return !b.getStatements().isEmpty() && jumps(b.getStatements().get(b.getStatements().size() - 1));
        }
        return s instanceof ReturnTree || s instanceof ThrowTree || s instanceof BreakTree || s instanceof ContinueTree;
    }

    String block(Tree s) { return s instanceof BlockTree ? text(s) : "{ " + text(s) + " }"; }

    // --- changes ---

    void add(String kind, Edit.Replacement... replacements) { edit.changes.add(new Edit.Change(kind, owner, method, List.of(replacements))); }
    Edit.Replacement replace(Tree t, String text) { return new Edit.Replacement(source, from(t), to(t), text); }
    Edit.Replacement insert(int at, String text) { return new Edit.Replacement(source, at, at, text); }
    String name() { return "made" + from(getCurrentPath().getLeaf()) + "x" + made++; }

    // --- what is gone through ---

    @Override
    public Void visitClass(ClassTree c, Void v) {
        String before = owner, beforeMethod = method;
        Element e = edit.trees.getElement(getCurrentPath());
        owner = e instanceof TypeElement t ? edit.elements.getBinaryName(t).toString().replace('.', '/') : null;
        method = null;
        super.visitClass(c, v);
        owner = before;
        method = beforeMethod;
        return null;
    }

    @Override
    public Void visitMethod(MethodTree m, Void v) {
        String name = m.getName().toString();
        if (owner == null || m.getBody() == null) {
            return null;
        }
        String outerMethod = method;
        boolean outerConstructor = constructor, outerStatic = isStatic, outerGeneric = generic;
        constructor = m.getReturnType() == null;
        isStatic = m.getModifiers().getFlags().contains(Modifier.STATIC);
        generic = !m.getTypeParameters().isEmpty();
        if (!constructor) {
            member(m, name);
        }
        if (hot.contains(owner + "." + name)) {
            method = name;
            super.visitMethod(m, v);
        }
        method = outerMethod;
        constructor = outerConstructor;
        isStatic = outerStatic;
        generic = outerGeneric;
        return null;
    }

    @Override
    public Void visitVariable(VariableTree t, Void v) {
        if (owner != null && method == null && getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) {
            member(t, t.getName().toString());
        }
        return super.visitVariable(t, v);
    }

    /** Renames a private member wherever it is named. */
    void member(Tree declared, String name) {
        Element e = edit.trees.getElement(getCurrentPath());
        if (e == null || !e.getModifiers().contains(Modifier.PRIVATE) || name.equals("serialVersionUID") || name.startsWith("read") || name.startsWith("write")) {
            return;
        }
        List<Edit.Replacement> list = new ArrayList<>();
        new TreePathScanner<Void, Void>() {
            void at(Tree t, int end) {
                if (edit.trees.getElement(getCurrentPath()) == e) {
                    list.add(new Edit.Replacement(source, end - name.length(), end, name + "Renamed"));
                }
            }
            @Override
            public Void visitIdentifier(IdentifierTree t, Void v) {
                at(t, to(t));
                return super.visitIdentifier(t, v);
            }
            @Override
            public Void visitMemberSelect(MemberSelectTree t, Void v) {
                at(t, to(t));
                return super.visitMemberSelect(t, v);
            }
        }.scan(new TreePath(source.unit()), null);
        int at = source.text().indexOf(name, to(declared instanceof MethodTree m ? m.getReturnType() : ((VariableTree) declared).getType()));
        if (list.isEmpty() || at < 0) {
            return;
        }
        list.add(new Edit.Replacement(source, at, at + name.length(), name + "Renamed"));
        edit.changes.add(new Edit.Change("member renamed", owner, name, List.copyOf(list)));
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree t, Void v) { return null; }

    @Override
    public Void visitIf(IfTree t, Void v) {
        if (method != null && !binds(t.getCondition())) {
            branches(t);
            chains(t);
            String local = name();
            if (getCurrentPath().getParentPath().getLeaf() instanceof BlockTree) {
                add("condition in a variable", insert(from(t), "boolean " + local + " = " + text(bare(t.getCondition())) + "; "), replace(t.getCondition(), "(" + local + ")"));
                add("negation in a variable", insert(from(t), "boolean " + local + " = " + not(t.getCondition()) + "; "), replace(t.getCondition(), "(!" + local + ")"));
            }
            extract(t.getCondition());
        }
        return super.visitIf(t, v);
    }

    /** Inverts a condition, with its arms or with the rest of the block. */
    void branches(IfTree t) {
        if (t.getElseStatement() != null) {
            add("if inverted", replace(t, "if (" + not(t.getCondition()) + ") " + block(t.getElseStatement()) + " else " + block(t.getThenStatement())));
            return;
        }
        if (!(getCurrentPath().getParentPath().getLeaf() instanceof BlockTree b) || !jumps(t.getThenStatement())) {
            return;
        }
        int at = b.getStatements().indexOf(t), last = b.getStatements().size() - 1;
        if (at < last) {
            String rest = source.text().substring(from(b.getStatements().get(at + 1)), to(b.getStatements().get(last)));
            add("early exit inverted", new Edit.Replacement(source, from(t), to(b.getStatements().get(last)),
                "if (" + not(t.getCondition()) + ") { " + rest + " } else " + block(t.getThenStatement())));
        }
    }

    /** Adds conditions to a chain of if and else, and reorders it. */
    void chains(IfTree t) {
        add("if in front", insert(from(t), "if (edits.Sink.count == -7) { edits.Sink.count++; } else "));
        if (t.getElseStatement() != null) {
            add("else-if added", insert(from(t.getElseStatement()), "if (edits.Sink.count == -7) { edits.Sink.count++; } else "));
        } else {
            add("else-if added", insert(to(t), " else if (edits.Sink.count == -7) { edits.Sink.count++; }"));
        }
        if (t.getElseStatement() instanceof IfTree second && exclusive(bare(t.getCondition()), bare(second.getCondition()))) {
            String rest = second.getElseStatement() == null ? "" : " else " + text(second.getElseStatement());
            add("else-ifs reordered", replace(t, "if " + text(second.getCondition()) + " " + block(second.getThenStatement()) + " else if "
                + text(t.getCondition()) + " " + block(t.getThenStatement()) + rest));
        }
    }

    /** Whether two conditions never both hold: a value is one literal or another. */
    boolean exclusive(ExpressionTree a, ExpressionTree b) {
        return a instanceof BinaryTree x && b instanceof BinaryTree y && x.getKind() == Tree.Kind.EQUAL_TO && y.getKind() == Tree.Kind.EQUAL_TO
            && pure(a) && text(x.getLeftOperand()).equals(text(y.getLeftOperand())) && x.getRightOperand() instanceof LiteralTree p
            && y.getRightOperand() instanceof LiteralTree q && !Objects.equals(p.getValue(), q.getValue());
    }

    @Override
    public Void visitConditionalExpression(ConditionalExpressionTree t, Void v) {
        if (method != null && !binds(t.getCondition())) {
            add("?: inverted", replace(t, "((" + not(t.getCondition()) + ") ? " + text(t.getFalseExpression()) + " : " + text(t.getTrueExpression()) + ")"));
            extract(t.getCondition());
        }
        return super.visitConditionalExpression(t, v);
    }

    @Override
    public Void visitWhileLoop(WhileLoopTree t, Void v) {
        if (method != null) {
            extract(t.getCondition());
            loop(t, t.getCondition(), t.getStatement());
        }
        return super.visitWhileLoop(t, v);
    }

    /** Moves a loop's condition into its body. */
    void loop(Tree t, ExpressionTree condition, StatementTree body) {
        if (!binds(condition) && !(bare(condition) instanceof LiteralTree)) {
            add("loop condition moved", replace(t, "while (true) { if (" + not(condition) + ") { break; } " + text(body) + " }"));
        }
    }

    @Override
    public Void visitBinary(BinaryTree t, Void v) {
        if (method != null) {
            operands(t);
        }
        return super.visitBinary(t, v);
    }

    /** Swaps the operands of comparisons, of && and ||, and of what is commutative. */
    void operands(BinaryTree t) {
        String left = text(t.getLeftOperand()), right = text(t.getRightOperand());
        boolean both = pure(t.getLeftOperand()) && pure(t.getRightOperand());
        if (MIRRORED.containsKey(t.getKind()) && both && !(t.getRightOperand() instanceof BinaryTree) && !(t.getLeftOperand() instanceof BinaryTree)) {
            add("comparison mirrored", replace(t, right + " " + MIRRORED.get(t.getKind()) + " " + left));
        }
        boolean and = t.getKind() == Tree.Kind.CONDITIONAL_AND, or = t.getKind() == Tree.Kind.CONDITIONAL_OR;
        if ((and || or) && safe(t.getLeftOperand()) && safe(t.getRightOperand()) && !binds(t)) {
            add("&& or || reordered", replace(t, "(" + right + ")" + (and ? " && " : " || ") + "(" + left + ")"));
        }
        if ((t.getKind() == Tree.Kind.PLUS || t.getKind() == Tree.Kind.MULTIPLY) && integral(t) && integral(t.getLeftOperand()) && integral(t.getRightOperand())
            && !writes(t) && !has(t, Tree.Kind.NEW_CLASS)) {
            add("operands swapped", replace(t, "((" + right + ")" + (t.getKind() == Tree.Kind.PLUS ? " + " : " * ") + "(" + left + "))"));
        }
    }

    @Override
    public Void visitBlock(BlockTree b, Void v) {
        if (method != null && !(constructor && getCurrentPath().getParentPath().getLeaf() instanceof MethodTree)) {
            statements(b);
        }
        return super.visitBlock(b, v);
    }

    /** Inserts statements, and swaps those that do not depend on each other. */
    void statements(BlockTree b) {
        List<? extends StatementTree> list = b.getStatements();
        for (int i = 0; i < list.size(); i++) {
            StatementTree s = list.get(i);
            if (i > 0 && from(s) < to(list.get(i - 1)) || i + 1 < list.size() && from(list.get(i + 1)) < to(s)) {
                continue; // int a, b;
            }
            add("statement inserted", insert(from(s), "edits.Sink.count++; "));
            add("variable inserted", insert(from(s), "int " + name() + " = edits.Sink.count++; "));
            add("check inserted", insert(from(s), "if (edits.Sink.count == -7) { throw new IllegalStateException(); } "));
            if (i + 1 < list.size() && independent(s, list.get(i + 1))) {
                String between = source.text().substring(to(s), from(list.get(i + 1)));
                add("statements swapped", new Edit.Replacement(source, from(s), to(list.get(i + 1)), text(list.get(i + 1)) + between + text(s)));
            }
        }
    }

    /** Whether two statements can change places: neither leaves the block, at most one calls anything, and neither sets what the other names. */
    boolean independent(StatementTree a, StatementTree b) {
        boolean simple = Stream.of(a, b).allMatch(s -> s instanceof ExpressionStatementTree || s instanceof VariableTree || s instanceof IfTree || s instanceof ForLoopTree);
        if (!simple || Stream.of(a, b).anyMatch(s -> has(s, Tree.Kind.RETURN, Tree.Kind.THROW, Tree.Kind.BREAK, Tree.Kind.CONTINUE, Tree.Kind.CLASS, Tree.Kind.LAMBDA_EXPRESSION))) {
            return false;
        }
        boolean callsA = has(a, Tree.Kind.METHOD_INVOCATION, Tree.Kind.NEW_CLASS), callsB = has(b, Tree.Kind.METHOD_INVOCATION, Tree.Kind.NEW_CLASS);
        if (callsA && callsB || callsA && !local(b) || callsB && !local(a)) {
            return false;
        }
        return Collections.disjoint(set(a), named(b)) && Collections.disjoint(set(b), named(a));
    }

    /** Whether a statement has to do with local variables alone, and cannot throw. */
    boolean local(StatementTree s) {
        boolean[] fields = {false};
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree t, Void v) {
                Element e = edit.trees.getElement(getCurrentPath());
                fields[0] |= e != null && e.getKind() == ElementKind.FIELD;
                return null;
            }
        }.scan(new TreePath(getCurrentPath(), s), null);
        return !fields[0] && !has(s, Tree.Kind.MEMBER_SELECT, Tree.Kind.ARRAY_ACCESS, Tree.Kind.DIVIDE, Tree.Kind.REMAINDER, Tree.Kind.TYPE_CAST);
    }

    Set<String> named(Tree t) {
        Set<String> names = set(t);
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree i, Void v) {
                names.add(i.getName().toString());
                return null;
            }
            @Override
            public Void visitMemberSelect(MemberSelectTree m, Void v) {
                names.add(m.getIdentifier().toString());
                return super.visitMemberSelect(m, v);
            }
        }.scan(t, null);
        return names;
    }

    /** The names of what a statement sets; elements of arrays count as the array, and all arrays as one. */
    Set<String> set(Tree t) {
        Set<String> names = new HashSet<>();
        new TreeScanner<Void, Void>() {
            void target(ExpressionTree e) {
                e = bare(e);
                if (e instanceof IdentifierTree i) {
                    names.add(i.getName().toString());
                } else if (e instanceof MemberSelectTree m) {
                    names.add(m.getIdentifier().toString());
                } else if (e instanceof ArrayAccessTree a) {
                    names.add("[]");
                    target(a.getExpression());
                }
            }
            @Override
            public Void visitArrayAccess(ArrayAccessTree a, Void v) {
                names.add("[]"); // read or set: elements of one array under two names
                return super.visitArrayAccess(a, v);
            }
            @Override
            public Void visitVariable(VariableTree x, Void v) {
                names.add(x.getName().toString());
                return super.visitVariable(x, v);
            }
            @Override
            public Void visitAssignment(AssignmentTree x, Void v) {
                target(x.getVariable());
                return super.visitAssignment(x, v);
            }
            @Override
            public Void visitCompoundAssignment(CompoundAssignmentTree x, Void v) {
                target(x.getVariable());
                return super.visitCompoundAssignment(x, v);
            }
            @Override
            public Void visitUnary(UnaryTree x, Void v) {
                target(x.getExpression());
                return super.visitUnary(x, v);
            }
        }.scan(t, null);
        return names;
    }

    /** Makes a method of an expression, which takes the local variables that it names. */
    void extract(ExpressionTree e) {
        if (constructor || generic || writes(e) || binds(e) || has(e, Tree.Kind.LAMBDA_EXPRESSION, Tree.Kind.NEW_CLASS) || bare(e) instanceof LiteralTree) {
            return;
        }
        Map<String, String> locals = new LinkedHashMap<>();
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree t, Void v) {
                Element x = edit.trees.getElement(getCurrentPath());
                if (x != null && EnumSet.of(ElementKind.LOCAL_VARIABLE, ElementKind.PARAMETER, ElementKind.EXCEPTION_PARAMETER).contains(x.getKind())) {
                    locals.put(t.getName().toString(), x.asType().toString());
                }
                return null;
            }
        }.scan(new TreePath(getCurrentPath(), e), null);
        if (locals.values().stream().anyMatch(type -> type.contains("capture") || type.contains("&") || type.contains("<any"))) {
            return;
        }
        TreePath p = getCurrentPath();
        while (!(p.getLeaf() instanceof MethodTree)) {
            p = p.getParentPath();
        }
        String made = name();
        String parameters = locals.entrySet().stream().map(x -> x.getValue() + " " + x.getKey()).collect(Collectors.joining(", "));
        add("method extracted", replace(e, "(" + made + "(" + String.join(", ", locals.keySet()) + "))"),
            insert(to(p.getLeaf()), " private " + (isStatic ? "static " : "") + "boolean " + made + "(" + parameters + ") { return " + text(e) + "; }"));
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree t, Void v) {
        if (method != null && t.getMethodSelect() instanceof IdentifierTree called) {
            inline(t, called);
        }
        return super.visitMethodInvocation(t, v);
    }

    /** Puts what a method returns in the place of a call of it. */
    void inline(MethodInvocationTree t, IdentifierTree called) {
        if (!(element(called) instanceof ExecutableElement e) || edit.trees.getTree(e) == null || edit.trees.getPath(e).getCompilationUnit() != source.unit()) {
            return;
        }
        MethodTree m = edit.trees.getTree(e);
        boolean fixed = e.getModifiers().contains(Modifier.PRIVATE) || e.getModifiers().contains(Modifier.STATIC) || e.getModifiers().contains(Modifier.FINAL);
        if (!fixed || m.getBody() == null || m.getBody().getStatements().size() != 1 || !(m.getBody().getStatements().get(0) instanceof ReturnTree r)
            || r.getExpression() == null || writes(r.getExpression()) || has(r.getExpression(), Tree.Kind.LAMBDA_EXPRESSION) || !m.getTypeParameters().isEmpty()
            || t.getArguments().stream().anyMatch(a -> !(a instanceof IdentifierTree) && !(a instanceof LiteralTree))) {
            return;
        }
        Map<String, String> arguments = new HashMap<>();
        for (int i = 0; i < Math.min(t.getArguments().size(), m.getParameters().size()); i++) {
            arguments.put(m.getParameters().get(i).getName().toString(), "((" + m.getParameters().get(i).getType() + ") " + text(t.getArguments().get(i)) + ")");
        }
        StringBuilder b = new StringBuilder(text(r.getExpression()));
        int start = from(r.getExpression());
        List<IdentifierTree> names = new ArrayList<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree i, Void v) {
                names.add(i);
                return null;
            }
        }.scan(r.getExpression(), null);
        names.sort(Comparator.comparingInt(i -> -from(i)));
        for (IdentifierTree i : names) {
            String with = arguments.get(i.getName().toString());
            if (with != null) {
                b.replace(from(i) - start, to(i) - start, with);
            }
        }
        add("method inlined", replace(t, "((" + m.getReturnType() + ") (" + b + "))"));
    }

    @Override
    public Void visitSwitch(SwitchTree t, Void v) {
        if (method != null) {
            cases(t);
        }
        return super.visitSwitch(t, v);
    }

    /** Swaps cases that end with a jump, and adds one. */
    void cases(SwitchTree t) {
        List<? extends CaseTree> list = t.getCases();
        if (list.stream().anyMatch(c -> c.getStatements() == null)) {
            return;
        }
        if (integral(bare(t.getExpression())) && !list.isEmpty()) {
            add("case added", insert(from(list.get(0)), "case 43981: edits.Sink.count++; break; "));
        }
        for (int i = 1; i + 1 < list.size(); i++) {
            CaseTree before = list.get(i - 1), a = list.get(i), b = list.get(i + 1);
            if (closed(before) && closed(a) && closed(b) && !has(a, Tree.Kind.VARIABLE) && !has(b, Tree.Kind.VARIABLE)) {
                String between = source.text().substring(to(a), from(b));
                add("cases swapped", new Edit.Replacement(source, from(a), to(b), text(b) + between + text(a)));
            }
        }
    }

    static boolean closed(CaseTree c) { return !c.getStatements().isEmpty() && jumps(c.getStatements().get(c.getStatements().size() - 1)); }
}
