"""Rules for archives of profiles: import, gate and export.

BUILD.bazel beside this file uses them. Each rule runs the program that its attribute profarc names.
"""

_PROFARC = attr.label(
    doc = "the command, a file or a target that builds it",
    default = "//:bin/profarc",
    allow_single_file = True,
    cfg = "exec",
    executable = True,
)

def _archive_impl(ctx):
    archive = ctx.actions.declare_file(ctx.label.name + ".parc")
    arguments = ctx.actions.args()
    arguments.add("import")
    arguments.add_all(ctx.files.srcs)
    arguments.add("-o", archive)
    ctx.actions.run(
        executable = ctx.executable.profarc,
        arguments = [arguments],
        inputs = ctx.files.srcs,
        outputs = [archive],
        mnemonic = "ProfarcImport",
    )
    return [DefaultInfo(files = depset([archive]))]

profarc_archive = rule(
    implementation = _archive_impl,
    doc = "An archive of the profiles that training runs left. The same files give the same bytes.",
    attrs = {
        "profarc": _PROFARC,
        "srcs": attr.label_list(
            doc = "profiles of one format: .profraw, .pprof, ...",
            allow_files = True,
            mandatory = True,
        ),
    },
)

def _export_impl(ctx):
    profile = ctx.actions.declare_file(ctx.attr.out or ctx.label.name)
    ctx.actions.run(
        executable = ctx.executable.profarc,
        arguments = ["export", "-t", ctx.attr.format, ctx.file.archive.path, "-o", profile.path],
        inputs = [ctx.file.archive],
        outputs = [profile],
        mnemonic = "ProfarcExport",
    )
    return [DefaultInfo(files = depset([profile]))]

profarc_export = rule(
    implementation = _export_impl,
    doc = "The profile that a compiler reads: profdata for clang and rustc, gopgo for go build.",
    attrs = {
        "archive": attr.label(doc = "the archive", allow_single_file = [".parc"], mandatory = True),
        "format": attr.string(doc = "as profarc export -t names it", mandatory = True),
        "out": attr.string(doc = "name of the file; the rule's if it is empty"),
        "profarc": _PROFARC,
    },
)

def _gate_test_impl(ctx):
    words = [ctx.executable.profarc.short_path, "gate", ctx.file.archive.short_path]
    words += ["--against", ctx.file.against.short_path]
    files = [ctx.executable.profarc, ctx.file.archive, ctx.file.against]
    if ctx.file.baseline:
        words += ["--baseline", ctx.file.baseline.short_path]
        files.append(ctx.file.baseline)
    words += ctx.attr.flags
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        script,
        "#!/bin/sh\nexec " + " ".join(["'" + w.replace("'", "'\\''") + "'" for w in words]) + "\n",
        is_executable = True,
    )
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(files = files))]

profarc_gate_test = rule(
    implementation = _gate_test_impl,
    doc = "Fails unless the archive passes the gate, and prints the table of the criteria.",
    attrs = {
        "against": attr.label(doc = "the instrumented program, or a newer profile", allow_single_file = True, mandatory = True),
        "archive": attr.label(doc = "the archive", allow_single_file = [".parc"], mandatory = True),
        "baseline": attr.label(doc = "the archive in use", allow_single_file = [".parc"]),
        "flags": attr.string_list(doc = "further flags of profarc gate"),
        "profarc": _PROFARC,
    },
    test = True,
)
