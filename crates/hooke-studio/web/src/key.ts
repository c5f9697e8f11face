// The key of this tab. The address that the studio prints carries a token that can be used once; it is exchanged
// here for the key that every request shows. The key stays with the tab, over a reload too, and is sent to other
// tabs of the same studio that have none: the browser keeps both from every other address, and from every other
// port of this machine.

const NAME = "hooke-key";

/** How long other tabs have to answer (ms). */
const ANSWER = 300;

type TabMessage = { requestsKey: true } | { key: string; fresh: boolean };

const tabs = new BroadcastChannel(NAME);

tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
  const own = read();
  if ("requestsKey" in data) {
    if (own) tabs.postMessage({ key: own, fresh: false } satisfies TabMessage);
  } else if (!own || data.fresh) keep(data.key);
};

function read(): string | null {
  return sessionStorage.getItem(NAME);
}

function keep(key: string): void {
  sessionStorage.setItem(NAME, key);
}

/** What a request shows. */
export function headers(): Record<string, string> {
  return { Authorization: `Bearer ${read() ?? ""}` };
}

/** What a socket shows, which has no headers: the second of these is never sent back. */
export function protocols(): string[] {
  return ["hooke", `hooke.key.${read() ?? ""}`];
}

/** The studio knows this key no longer. */
export function forget(): void {
  sessionStorage.removeItem(NAME);
}

/** Whether there is a key by now: this tab's own, or one that another tab has sent. */
export async function find(): Promise<boolean> {
  if (!read()) {
    tabs.postMessage({ requestsKey: true } satisfies TabMessage);
    await new Promise((done) => setTimeout(done, ANSWER));
  }
  return read() !== null;
}

/** Exchanges the token in the address, and takes it out of there; what the studio says where it refuses. */
export async function exchange(): Promise<string | null> {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (token === null) return null;
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
  const answer = await fetch("/api/key", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (!answer.ok) return answer.text();
  const { key } = (await answer.json()) as { key: string };
  keep(key);
  // Pages of a studio that was started anew go on with it.
  tabs.postMessage({ key, fresh: true } satisfies TabMessage);
  return null;
}
