// Light and dark: as the system says, until a person chooses.

const KEY = "hooke-theme";

export class Theme {
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private readonly listeners: ((dark: boolean) => void)[] = [];

  constructor() {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get dark(): boolean {
    const chosen = localStorage.getItem(KEY);
    return chosen ? chosen === "dark" : this.system.matches;
  }

  toggle(): void {
    localStorage.setItem(KEY, this.dark ? "light" : "dark");
    this.apply();
  }

  onChange(listener: (dark: boolean) => void): void {
    this.listeners.push(listener);
    listener(this.dark);
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    for (const listener of this.listeners) listener(this.dark);
  }
}
