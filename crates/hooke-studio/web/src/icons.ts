// The page's own icons: strokes on a grid of 24 × 24.

const PATHS: Record<string, string> = {
  play: "M7 4.5 19 12 7 19.5Z",
  pause: "M8 5v14M16 5v14",
  step: "M5 5l9 7-9 7ZM18 5v14",
  reset: "M4 12a8 8 0 1 0 2.6-5.9M4 4v5h5",
  frame: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  surface: "M4 8c4-4 12 4 16 0v9c-4 4-12-4-16 0Z",
  wire: "M4 4h16v16H4ZM4 12h16M12 4v16M4 12l8-8M12 20l8-8M4 20 20 4",
  springs: "M3 12h3l1.5-5 3 10 3-10 3 10L18 12h3",
  strain: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 12l5-5",
  particles: "M6 6h.01M12 6h.01M18 6h.01M6 12h.01M12 12h.01M18 12h.01M6 18h.01M12 18h.01M18 18h.01",
  velocity: "M4 20 19 5M11 5h8v8",
  pins: "M12 14v7M8 3h8l-1 6 3 5H6l3-5Z",
  shadow: "M12 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12ZM5 20h14",
  ground: "M3 19h18M7 19l3-8M17 19l-3-8M4 15h16M6 11h12",
  grab: "M8 12V6a1.6 1.6 0 0 1 3.2 0v5V4.6a1.6 1.6 0 0 1 3.2 0V11V6.5a1.6 1.6 0 0 1 3.2 0V15c0 4-2.4 6-6 6s-4.6-1.6-7.4-6.6A1.6 1.6 0 0 1 7 13l1 1",
  attractor: "M12 12h.01M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10ZM12 2v3M12 19v3M2 12h3M19 12h3",
  gallery: "M4 4h7v7H4ZM13 4h7v7h-7ZM4 13h7v7H4ZM13 13h7v7h-7Z",
  text: "M8 6l-5 6 5 6M16 6l5 6-5 6M13.5 4l-3 16",
  compare: "M4 5h7v14H4ZM13 5h7v14h-7Z",
  overlay: "M4 4h11v11H4ZM9 9h11v11H9Z",
  download: "M12 3v12M7 10l5 5 5-5M4 20h16",
  open: "M12 16V4M7 9l5-5 5 5M4 20h16",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  help: "M9.5 9a2.6 2.6 0 1 1 3.7 2.4c-.9.5-1.2 1-1.2 2.1M12 17h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  close: "M6 6l12 12M18 6 6 18",
  warning: "M12 4 2.5 20h19ZM12 10v4M12 17h.01",
  plots: "M4 4v16h16M7 15l4-5 3 3 5-7",
  controls: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  plus: "M12 5v14M5 12h14",
};

const NAMESPACE = "http://www.w3.org/2000/svg";

export function icon(name: string): SVGSVGElement {
  const picture = document.createElementNS(NAMESPACE, "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("class", "icon");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(NAMESPACE, "path");
  path.setAttribute("d", PATHS[name] ?? "");
  picture.append(path);
  return picture;
}
