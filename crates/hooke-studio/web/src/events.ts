// A list of listeners per kind of event, typed by what the event carries.

export class Events<Kinds> {
  private listeners: { [K in keyof Kinds]?: ((value: Kinds[K]) => void)[] } = {};

  on<K extends keyof Kinds>(kind: K, listener: (value: Kinds[K]) => void): void {
    (this.listeners[kind] ??= []).push(listener);
  }

  emit<K extends keyof Kinds>(kind: K, value: Kinds[K]): void {
    for (const listener of this.listeners[kind] ?? []) listener(value);
  }
}
