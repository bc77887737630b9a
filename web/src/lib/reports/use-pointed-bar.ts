import { type MouseEvent, type PointerEvent, useEffect, useRef, useState } from 'react';

/** Where a press on a bar of a chart leads. @param part Which series of it; -1: all of them. */
export type LinkOfBar = (bar: number, part: number) => string;

/** Which part of a stack is at a height; -1: it is above all of them. */
export function findPartOfStack(values: readonly number[], height: number): number {
  let top = 0;
  return values.findIndex((value) => {
    top += value;
    return height < top;
  });
}

export type PointedBar = ReturnType<typeof usePointedBar>;

/**
 * What of a chart is pointed at: which bar, and which of its series, -1 being none. A mouse points where it is; a finger where it tapped,
 * until it taps elsewhere, so that figures can be read before a second tap leads on.
 *
 * @param findPart Which series of a bar is at a height, from 0, at the bottom, to 1.
 */
export function usePointedBar(count: number, findPart: (bar: number, height: number) => number) {
  const [bar, setBar] = useState<number | null>(null);
  const [part, setPart] = useState(-1);
  const plot = useRef<Element>(null);
  useEffect(() => {
    if (bar === null) return;
    const leave = ({ target }: Event) => {
      if (!plot.current?.contains(target as Node)) setBar(null);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [bar]);

  function point({ clientX, clientY, currentTarget }: MouseEvent) {
    const box = currentTarget.getBoundingClientRect();
    const place = Math.floor(((clientX - box.left) / box.width) * count);
    const pointed = Math.min(Math.max(0, place), count - 1);
    plot.current = currentTarget;
    setBar(pointed);
    setPart(findPart(pointed, (box.bottom - clientY) / box.height));
  }
  const events = {
    onClick: point,
    onPointerMove: (event: PointerEvent) => event.pointerType !== 'touch' && point(event),
    onPointerLeave: ({ pointerType }: PointerEvent) => pointerType !== 'touch' && setBar(null),
  };
  return { bar, part, events };
}
