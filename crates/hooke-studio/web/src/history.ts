// What the reports of one run said over time, in columns that plots take as they are.

import type { Report } from "./protocol";

const LONGEST = 1500;

export const COLUMNS = [
  "time",
  "kinetic",
  "elastic",
  "gravitational",
  "field",
  "total",
  "numerical",
  "error",
  "assembly",
  "factorization",
  "solution",
  "method",
  "limit",
  "contact",
  "rigidBodies",
  "chains",
  "measure",
  "milliseconds",
  "residual",
] as const;
export type Column = (typeof COLUMNS)[number];

export class History {
  readonly columns = Object.fromEntries(COLUMNS.map((name) => [name, [] as (number | null)[]])) as Record<
    Column,
    (number | null)[]
  >;
  last: Report | null = null;

  clear(): void {
    for (const name of COLUMNS) this.columns[name].length = 0;
    this.last = null;
  }

  add(report: Report): void {
    this.forgetFrom(report.time);
    const ms = (name: string) => 1000 * (report.seconds[name] ?? 0);
    const named = ms("assembly") + ms("factorization") + ms("solution");
    const row: Record<Column, number | null> = {
      time: report.time,
      kinetic: report.energy.kinetic,
      elastic: report.energy.elastic,
      gravitational: report.energy.gravitational,
      field: report.energy.field,
      total: report.energy.total,
      numerical: report.numerical,
      error: report.error ?? null,
      assembly: ms("assembly"),
      factorization: ms("factorization"),
      solution: ms("solution"),
      method: Math.max(ms("method") - named, 0),
      limit: ms("limit"),
      contact: ms("contact"),
      rigidBodies: ms("rigid_bodies"),
      chains: ms("chains"),
      measure: ms("measure"),
      milliseconds: ms("total"),
      residual: relativeResidual(report),
    };
    for (const name of COLUMNS) this.columns[name].push(row[name]);
    if (this.columns.time.length > LONGEST) this.thin();
    this.last = report;
  }

  /** Time went back (reset, timeline): what was after it has not happened. */
  private forgetFrom(time: number): void {
    const times = this.columns.time;
    let length = times.length;
    while (length > 0 && (times[length - 1] ?? 0) >= time) length -= 1;
    if (length === times.length) return;
    for (const name of COLUMNS) this.columns[name].length = length;
  }

  /** Every second row goes, so that a long run stays whole. */
  private thin(): void {
    for (const name of COLUMNS) {
      const column = this.columns[name];
      const kept = column.filter((_, index) => index % 2 === 0);
      column.length = 0;
      column.push(...kept);
    }
  }
}

/** ‖∇g‖ over what it is compared with; null for methods that do not solve. */
export function relativeResidual(report: Report): number | null {
  if (report.residual == null || !report.scale) return null;
  return report.residual / report.scale;
}
