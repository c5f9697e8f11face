// Completion in scene files, from the JSON Schema of scenes: which table the cursor is in, and
// which fields or words may stand there.

interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  $defs?: Record<string, Schema>;
}

/** Where the cursor is: in which table, and within the value of which field. */
export interface CursorContext {
  path: string[];
  /** The field whose value is being written; null where a name of a field belongs. */
  field: string | null;
  /** Whether the cursor stands within quotes. */
  quoted: boolean;
  /** How many characters before the cursor belong to the word. */
  typed: number;
}

export interface Suggestion {
  label: string;
  detail: string;
  info: string;
  kind: "property" | "enum" | "class";
}

/** The context at the end of `before`, the text up to the cursor. */
export function contextAt(before: string): CursorContext | "header" | null {
  const lines = before.split("\n");
  const line = lines[lines.length - 1];
  if (/^\s*\[/.test(line) && !line.includes("]")) return "header";
  const header = lines
    .slice(0, -1)
    .reverse()
    .find((each) => /^\s*\[.*\]\s*(#.*)?$/.test(each) && !each.includes("="));
  const path = header ? header.replace(/#.*/, "").replace(/[[\]\s]/g, "").split(".") : [];
  return contextInLine(line, path);
}

function contextInLine(line: string, outer: string[]): CursorContext | null {
  const stack: { path: string[]; field: string | null; list: boolean }[] = [];
  let here = { path: outer, field: null as string | null, list: false };
  let word = "";
  let quoted = false;
  for (const letter of line) {
    if (quoted) {
      if (letter === '"') quoted = false;
      else word += letter;
    } else if (letter === '"') {
      quoted = true;
      word = "";
    } else if (letter === "#") return null;
    else if (letter === "=") {
      const names = word.split(".");
      here = { ...here, path: [...here.path, ...names.slice(0, -1)], field: names[names.length - 1] };
      word = "";
    } else if (letter === "{") {
      stack.push(here);
      here = { path: here.field ? [...here.path, here.field] : here.path, field: null, list: false };
      word = "";
    } else if (letter === "[") {
      stack.push(here);
      here = { ...here, list: true };
      word = "";
    } else if (letter === "}" || letter === "]") {
      here = stack.pop() ?? here;
      word = "";
    } else if (letter === ",") {
      if (!here.list) here = { ...here, field: null };
      word = "";
    } else if (/\s/.test(letter)) word = here.field === null && stack.length === 0 ? word : "";
    else word += letter;
  }
  return { path: here.path, field: here.field, quoted, typed: word.trim().length };
}

/** What may be written there. */
export function suggestions(root: object, cursor: CursorContext | "header"): Suggestion[] {
  const schema = root as Schema;
  if (cursor === "header") return tables(schema);
  let at = [schema];
  for (const name of cursor.path) at = at.flatMap((each) => step(schema, each, name));
  if (cursor.field === null) return fields(schema, at);
  const values = at.flatMap((each) => step(schema, each, cursor.field as string));
  return words(schema, values, cursor.quoted);
}

/** The schema and all its variants, with references followed. */
function open(root: Schema, schema: Schema): Schema[] {
  if (schema.$ref) {
    const name = schema.$ref.replace("#/$defs/", "");
    const found = root.$defs?.[name];
    return found ? open(root, found) : [];
  }
  const variants = [schema.oneOf, schema.anyOf, schema.allOf].flatMap((list) => list ?? []);
  return [schema, ...variants.flatMap((each) => open(root, each))];
}

function step(root: Schema, schema: Schema, name: string): Schema[] {
  return open(root, schema).flatMap((each) => {
    const own = each.properties?.[name];
    if (own) return intoItems(root, own);
    const other = each.additionalProperties;
    if (other && typeof other === "object") return intoItems(root, other);
    return [];
  });
}

/** Lists of tables are written like tables. */
function intoItems(root: Schema, schema: Schema): Schema[] {
  return open(root, schema).flatMap((each) => (each.items ? [each, ...open(root, each.items)] : [each]));
}

function fields(root: Schema, schemas: Schema[]): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const schema of schemas.flatMap((each) => open(root, each))) {
    for (const [label, field] of Object.entries(schema.properties ?? {})) {
      if (found.has(label) || label.startsWith("$")) continue;
      const info = field.description ?? "";
      found.set(label, { label, detail: unitOf(info), info, kind: "property" });
    }
  }
  return [...found.values()];
}

function words(root: Schema, schemas: Schema[], quoted: boolean): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const schema of schemas.flatMap((each) => open(root, each))) {
    const flags = schema.type === "boolean" ? [true, false] : [];
    for (const word of [...(schema.enum ?? []), ...flags]) {
      const text = typeof word === "string" && !quoted ? JSON.stringify(word) : String(word);
      if (quoted && typeof word !== "string") continue;
      found.set(text, { label: text, detail: "", info: schema.description ?? "", kind: "enum" });
    }
  }
  return [...found.values()];
}

/** Headers of the first level: `[time]`, `[[deformables]]`. */
function tables(root: Schema): Suggestion[] {
  const found: Suggestion[] = [];
  for (const [name, field] of Object.entries(root.properties ?? {})) {
    const variants = open(root, field);
    const list = variants.some((each) => each.items);
    const table = variants.some((each) => each.properties);
    if (!list && !table) continue;
    const label = list ? `[[${name}]]` : `[${name}]`;
    found.push({ label, detail: "", info: field.description ?? "", kind: "class" });
  }
  return found;
}

function unitOf(description: string): string {
  return /\[([^\]]+)\]/.exec(description)?.[1] ?? "";
}
