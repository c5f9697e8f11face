// The scene as text: colored, checked by the server as one types, completed from its schema.
// It lives in a shadow root, where its styles need no exception from the security policy.

import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { linter, lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { check, saveFile, type Finding } from "../api";
import { make } from "../dom";
import type { Session } from "../session";
import { contextAt, suggestions } from "./completion";
import type { Notices } from "./notices";

const COLORS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: tags.bool, color: "var(--code-number)" },
  { tag: tags.atom, color: "var(--code-number)" },
  { tag: tags.propertyName, color: "var(--code-name)" },
  { tag: tags.keyword, color: "var(--code-head)", fontWeight: "600" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--panel)", fontSize: "12.5px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--hairline)",
    borderRadius: "6px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "#fff" },
  ".cm-completionInfo": { maxWidth: "260px", padding: "6px 8px" },
  // CodeMirror's own marks are pictures from inside the style, which the policy would have to allow.
  ".cm-lint-marker": { width: "10px", height: "10px", margin: "4px 2px", borderRadius: "50%" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--poor)" },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--code-number)" },
  ".cm-lintRange-error, .cm-lintRange-warning": { backgroundImage: "none", paddingBottom: "0" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--poor)" },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--code-number)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection) !important" },
});

export class Editor {
  private readonly view: EditorView;
  private readonly status = make("span", { class: "editor-status", role: "status" });
  private readonly completion = new Compartment();
  private saved = "";

  constructor(
    private readonly session: Session,
    private readonly notices: Notices,
    holder: HTMLElement,
  ) {
    const area = make("div", { class: "editor-text" });
    const shadow = area.attachShadow({ mode: "open" });
    this.view = new EditorView({
      root: shadow,
      parent: shadow,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          highlightActiveLine(),
          StreamLanguage.define(toml),
          syntaxHighlighting(COLORS),
          LOOK,
          lintGutter(),
          linter((view) => this.check(view), { delay: 400 }),
          this.completion.of([]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Scene text", spellcheck: "false" }),
          keymap.of([
            { key: "Mod-Enter", run: () => this.run() },
            { key: "Mod-s", run: () => this.save() },
            ...completionKeymap,
            ...lintKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
        ],
      }),
    });
    const run = make("button", {
      type: "button",
      class: "primary",
      text: "Run",
      title: "Run this text (Ctrl+Enter)",
      onclick: () => this.run(),
    });
    const save = make("button", {
      type: "button",
      text: "Save",
      title: "Save this text (Ctrl+S)",
      onclick: () => this.save(),
    });
    const download = make("button", {
      type: "button",
      text: "Download",
      title: "Download this text as a file",
      hidden: true,
      onclick: () => this.download(),
    });
    holder.append(make("div", { class: "editor-bar" }, run, save, download, this.status), area);
    session.on("opened", ({ text }) => {
      download.hidden = !session.ofFile;
      this.show(text);
    });
    session.on("changed", ({ text }) => this.show(text));
    session.on("problem", ({ message, line }) => {
      if (line) this.mark([{ line, column: 1, field: "", message, kind: "error" }]);
    });
  }

  /** Completion comes from the schema of scenes. */
  learn(known: object): void {
    const source = (context: CompletionContext) => complete(known, context);
    this.view.dispatch({
      effects: this.completion.reconfigure(autocompletion({ override: [source], icons: false })),
    });
  }

  focus(): void {
    this.view.focus();
  }

  private show(text: string): void {
    const now = this.view.state.doc.toString();
    // What a person is writing stays, unless another scene was opened.
    if (text === now || text === this.saved) return;
    this.saved = text;
    this.view.dispatch({ changes: { from: 0, to: now.length, insert: text } });
  }

  private run(): boolean {
    const text = this.view.state.doc.toString();
    this.saved = text;
    this.session.openText(text);
    return true;
  }

  /** To the file it came from; as a download where it came from none. */
  private save(): boolean {
    if (this.session.ofFile) void this.saveToFile();
    else this.download();
    return true;
  }

  private async saveToFile(): Promise<void> {
    try {
      const { saved, problem } = await saveFile(this.view.state.doc.toString());
      if (saved) this.notices.say(`Saved to ${saved}.`);
      else this.notices.say(problem ?? "The file was not saved.", "error");
    } catch (error) {
      this.notices.say((error as Error).message, "error");
    }
  }

  private download(): void {
    const text = this.view.state.doc.toString();
    const address = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
    const name = (this.session.opened?.title ?? "scene").toLowerCase().replace(/[^a-z0-9]+/g, "-");
    make("a", { href: address, download: `${name}.toml` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  private async check(view: EditorView): Promise<Diagnostic[]> {
    const text = view.state.doc.toString();
    if (text === "") return [];
    try {
      return this.describe(await check(text));
    } catch {
      return [];
    }
  }

  private mark(findings: Finding[]): void {
    this.view.dispatch(setDiagnostics(this.view.state, this.describe(findings)));
  }

  private describe(findings: Finding[]): Diagnostic[] {
    const errors = findings.filter(({ kind }) => kind === "error").length;
    this.status.textContent = tell(findings);
    this.status.classList.toggle("bad", errors > 0);
    const { doc } = this.view.state;
    return findings.map(({ line, column, message, kind }) => {
      const { from, to } = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines));
      const start = Math.min(from + Math.max((column ?? 1) - 1, 0), to);
      return { from: start, to: Math.max(to, start), severity: kind, message };
    });
  }
}

function tell(findings: Finding[]): string {
  const [first] = findings;
  if (!first) return "No problems";
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : "";
  return `${first.line ? `Line ${first.line}: ` : ""}${first.message}${more}`;
}

function complete(known: object, context: CompletionContext): CompletionResult | null {
  const cursor = contextAt(context.state.doc.sliceString(0, context.pos));
  if (!cursor) return null;
  const line = context.state.doc.lineAt(context.pos);
  const typed = cursor === "header" ? context.pos - line.from : cursor.typed;
  if (!context.explicit && typed === 0 && !(cursor !== "header" && cursor.quoted)) return null;
  const options = suggestions(known, cursor).map(({ label, detail, info, kind }) => ({
    label,
    detail,
    info,
    type: kind,
    apply: kind === "property" ? `${label} = ` : label,
  }));
  return options.length > 0 ? { from: context.pos - typed, options } : null;
}
