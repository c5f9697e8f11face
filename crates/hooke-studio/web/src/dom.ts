// Elements in one expression. Text is always text, never HTML.

type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** An element with attributes (`onclick` and the like as functions, `class`, `text`) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === "text") element.textContent = String(value);
    else if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as (event: Event) => void);
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** The element of the page with this id, which is always there. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** Whether keys typed now go into a field, so that shortcuts must keep quiet. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "range";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
