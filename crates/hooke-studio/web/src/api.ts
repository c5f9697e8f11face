// The server's HTTP side: what is asked once rather than streamed.

import { headers } from "./key";
import type { Catalog } from "./protocol";

/** An answer other than success, with the server's sentence. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function request(path: string, body?: object): Promise<Response> {
  const post = {
    method: "POST",
    headers: { ...headers(), "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await fetch(path, body ? post : { headers: headers() });
  if (answer.ok) return answer;
  const text = await answer.text();
  let message = text;
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    // A plain sentence.
  }
  throw new Refused(answer.status, message || `The server answered ${answer.status}.`);
}

export interface Finding {
  line: number;
  column: number;
  field: string;
  message: string;
  kind: "error" | "warning";
}

export const catalog = async () => (await (await request("/api/catalog")).json()) as Catalog;

export const thumbnail = async (name: string) =>
  (await request(`/api/thumbnail/${encodeURIComponent(name)}`)).blob();

/** A file that was made, at the address that the server sent. */
export const download = async (url: string) => (await request(url)).blob();

export const sceneText = async (name: string) =>
  (await request(`/api/scene/${encodeURIComponent(name)}`)).text();

export const check = async (text: string) =>
  ((await (await request("/api/check", { text })).json()) as { problems: Finding[] }).problems;

export const importFile = async (name: string, base64: string) =>
  (await (await request("/api/import", { name, base64 })).json()) as { text?: string; problem?: string };

/** Saves a text to the file of the command line, which only the server knows. */
export const saveFile = async (text: string) =>
  (await (await request("/api/save", { text })).json()) as { saved?: string; problem?: string };
