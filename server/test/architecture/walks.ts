import { folderOf } from './source-tree.js';

/** A file on the way of a call or a purchase, as `docs/architecture.md` lists them. */
export interface WalkStep {
  readonly path: string;
  /** 0: it begins the walk; 1: a step of 0 calls it, and so on. */
  readonly depth: number;
}

const step = /^( *)\d+\. `(server\/[^`]+\.ts)`/gm;
const spacesADepth = 3;

/** The steps below a heading of level two, in their order; none where the document has no such heading. */
export function readWalk(document: string, heading: string): WalkStep[] {
  const [, chapter = ''] = document.split(`\n## ${heading}\n`);
  const [ownText = ''] = chapter.split('\n## ');
  return [...ownText.matchAll(step)].map(([, spaces = '', path = '']) => ({
    path,
    depth: spaces.length / spacesADepth,
  }));
}

/** How often a walk goes into each room, from another one or again after another step. A room is a folder of `server/`. */
export function countEntrances(walk: readonly WalkStep[]): ReadonlyMap<string, number> {
  const entrances = new Map<string, number>();
  const rooms: string[] = [];
  let roomBefore = '';
  for (const { path, depth } of walk) {
    const room = folderOf(path);
    rooms.length = depth;
    const isEntered = room !== rooms.at(-1) && room !== roomBefore;
    if (isEntered) entrances.set(room, (entrances.get(room) ?? 0) + 1);
    rooms.push(room);
    roomBefore = room;
  }
  return entrances;
}
