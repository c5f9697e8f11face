// The socket, kept alive: it comes back by itself after the server was restarted, and grants the
// server credit so that a slow page is never flooded.

import { catalog, Refused } from "./api";
import { Events } from "./events";
import { exchange, find, forget, protocols } from "./key";
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
  /** What the studio said to the address of this page, where it refused that. */
  refusal: string | null = null;

  /** Connects with the key of the address, of this tab or of another. */
  async start(): Promise<void> {
    try {
      this.refusal = await exchange();
    } catch {
      // Not there: the page comes back like any other.
    }
    if (!(await find())) return this.comeBack("refused");
    this.refusal = null;
    this.connect();
  }

  private connect(): void {
    const address = new URL("/api/socket", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address, protocols());
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.retry = FIRST_RETRY;
      this.become("open");
    };
    socket.onmessage = ({ data }) => this.receive(data as string | ArrayBuffer);
    socket.onclose = () => void this.comeBack("lost");
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
  private async comeBack(state: ConnectionState): Promise<void> {
    this.socket = null;
    this.become(state);
    for (;;) {
      await new Promise((done) => setTimeout(done, this.retry));
      this.retry = Math.min(2 * this.retry, LONGEST_RETRY);
      if (!(await find())) {
        this.become("refused");
        continue;
      }
      try {
        await catalog();
        this.refusal = null;
        return this.connect();
      } catch (error) {
        // A new studio has a new key, which another tab tells once its address was opened there.
        if (error instanceof Refused && error.status === 401) {
          forget();
          this.become("refused");
        }
      }
    }
  }

  private become(state: ConnectionState): void {
    this.state = state;
    this.emit("state", state);
  }
}
