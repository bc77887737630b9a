/** @jest-environment jsdom */
import { isKnownVisitor, noteVisitor } from './known-visitor';

const root = document.documentElement;

describe('A visitor', () => {
  beforeEach(() => {
    localStorage.clear();
    root.removeAttribute('data-known-visitor');
  });

  it('is known by the mark of the server where the browser has kept nothing', () => {
    expect(isKnownVisitor()).toBe(false);
    root.setAttribute('data-known-visitor', '');
    expect(isKnownVisitor()).toBe(true);
  });

  it('is no longer known once the session was said to be over, though its cookie still has the server mark the page', () => {
    noteVisitor(true);
    expect(isKnownVisitor()).toBe(true);
    noteVisitor(false);
    root.setAttribute('data-known-visitor', '');
    expect(isKnownVisitor()).toBe(false);
  });

  it('is known as the session was last said to be, where the browser keeps nothing', () => {
    const keep = jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('Full.', 'QuotaExceededError');
    });
    noteVisitor(true);
    expect(isKnownVisitor()).toBe(true);
    noteVisitor(false);
    expect(isKnownVisitor()).toBe(false);
    keep.mockRestore();
  });
});
