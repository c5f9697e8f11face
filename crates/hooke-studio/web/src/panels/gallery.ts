// The gallery: every scene as a card with its picture, course demos first.

import { make } from "../dom";
import type { MethodChoice, SceneEntry } from "../protocol";
import { FILE, type Session } from "../session";
import { Thumbnails } from "./thumbnails";

/** The comparison every course ends with. Shown where the catalog has all of it. */
const COURSE_COMPARISON = {
  scene: "course-cloth",
  title: "Three methods",
  doc: "One cloth with three methods: symplectic Euler, backward Euler by Newton's method, fast mass-spring.",
  methods: ["symplectic-euler", "newton", "quasi-newton"],
};

export class Gallery {
  private readonly cards = new Map<string, HTMLButtonElement>();

  constructor(
    private readonly session: Session,
    private readonly holder: HTMLElement,
  ) {
    session.on("opened", () => this.mark());
  }

  fill(): void {
    const { scenes, methods } = this.session.catalog;
    const search = make("input", {
      type: "search",
      placeholder: "Find a scene",
      "aria-label": "Find a scene",
      oninput: () => this.filter(search.value),
    });
    this.holder.replaceChildren(make("div", { class: "search" }, search));
    const own = this.session.catalog.session?.scene;
    if (own?.file) {
      const card = makeCard(FILE, own.title || "Your scene", "The file from the command line.", () =>
        this.session.open({ scene: FILE }),
      );
      this.cards.set(FILE, card);
      this.addGroup("Your file", [card]);
    }
    const groups = [...new Set(scenes.map((scene) => scene.group))];
    groups.sort((a, b) => Number(isCourse(b)) - Number(isCourse(a)));
    for (const group of groups) {
      const cards = scenes.filter((scene) => scene.group === group).map((scene) => this.card(scene));
      const names = new Set(methods.map((method) => method.name));
      const compares =
        isCourse(group) &&
        scenes.some((scene) => scene.name === COURSE_COMPARISON.scene) &&
        COURSE_COMPARISON.methods.every((name) => names.has(name));
      if (compares) cards.push(this.comparison());
      this.addGroup(heading(group), cards);
    }
    this.mark();
  }

  private addGroup(title: string, cards: HTMLElement[]): void {
    const list = make("div", { class: "cards" }, ...cards);
    this.holder.append(
      make("section", { class: "group", "aria-label": title }, make("h2", { text: title }), list),
    );
  }

  private card(scene: SceneEntry): HTMLButtonElement {
    const card = makeCard(scene.name, scene.title, scene.doc, () =>
      this.session.open({ scene: scene.name }),
    );
    this.cards.set(scene.name, card);
    return card;
  }

  private comparison(): HTMLButtonElement {
    const { scene, title, doc, methods } = COURSE_COMPARISON;
    const choices: MethodChoice[] = methods.map((name) => ({ name, settings: {} }));
    const card = makeCard(scene, title, doc, () => this.session.open({ scene, methods: choices }));
    card.dataset.scene = "comparison";
    this.cards.set("comparison", card);
    card.append(make("span", { class: "badge", text: "compare" }));
    return card;
  }

  private mark(): void {
    const { sceneName, runs } = this.session;
    const compared = runs.length > 1 && sceneName === COURSE_COMPARISON.scene;
    const scene = compared ? "comparison" : sceneName;
    for (const [name, card] of this.cards) {
      if (name === scene) card.setAttribute("aria-current", "true");
      else card.removeAttribute("aria-current");
    }
  }

  private filter(words: string): void {
    const wanted = words.trim().toLowerCase();
    for (const section of this.holder.querySelectorAll<HTMLElement>(".group")) {
      let any = false;
      for (const card of section.querySelectorAll<HTMLElement>(".card")) {
        card.hidden = !`${card.dataset.scene} ${card.textContent}`.toLowerCase().includes(wanted);
        any ||= !card.hidden;
      }
      section.hidden = !any;
    }
  }
}

const pictures = new Thumbnails();

function makeCard(scene: string, title: string, doc: string, open: () => void): HTMLButtonElement {
  const picture = make("img", { alt: "", width: 160, height: 100 });
  pictures.fill(picture, scene);
  return make(
    "button",
    { class: "card", type: "button", title: doc, "data-scene": scene, onclick: open },
    picture,
    make("span", { class: "card-title", text: title }),
  );
}

function isCourse(group: string): boolean {
  return group.toLowerCase().includes("course");
}

function heading(group: string): string {
  const words = group || "Scenes";
  return words[0].toUpperCase() + words.slice(1);
}
