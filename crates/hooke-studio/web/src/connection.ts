// The socket, kept alive: it comes back by itself after the server was restarted, and grants the
// server credit so that a slow page is never flooded.

import { Events } from "./events";
import { readFrame, type Frame, type Message } from "./protocol";

export type ConnectionState = "connecting" | "open" | "lost" | "refused";

interface ConnectionEvents {
  state: ConnectionState;
  message: Message;
  frame: Frame;
}

const FIRST_RETRY = 500;
const LONGEST_RETRY = 4000;

export class Connection extends Events<ConnectionEvents> {
  private socket: WebSocket | null = null;
  private retry = FIRST_RETRY;
  state: ConnectionState = "connecting";

  connect(): void {
    const address = new URL("/api/socket", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.retry = FIRST_RETRY;
      this.become("open");
    };
    socket.onmessage = ({ data }) => this.receive(data as string | ArrayBuffer);
    socket.onclose = () => void this.comeBack();
    this.socket = socket;
  }

  send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") this.emit("message", JSON.parse(data) as Message);
    else {
      const frame = readFrame(data);
      if (frame) this.emit("frame", frame);
    }
  }

  /** Waits until the server answers again. A plain request tells "not there" from "not allowed",
   * which a failed socket does not. */
  private async comeBack(): Promise<void> {
    this.socket = null;
    this.become("lost");
    for (;;) {
      await new Promise((done) => setTimeout(done, this.retry));
      this.retry = Math.min(2 * this.retry, LONGEST_RETRY);
      try {
        const answer = await fetch("/api/catalogue", { cache: "no-store" });
        if (answer.ok) return this.connect();
        // A new server has a new key, which the browser has once its address was opened.
        if (answer.status === 401 || answer.status === 403) this.become("refused");
      } catch {
        // Not there yet.
      }
    }
  }

  private become(state: ConnectionState): void {
    this.state = state;
    this.emit("state", state);
  }
}
