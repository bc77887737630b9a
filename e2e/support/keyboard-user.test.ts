import type { Page } from 'playwright-core';
import { describeInBrowser } from './browser.js';
import { contrast, findFocusFaults, readFocus } from './focus-facts.js';
import { findOrderFaults, KeyboardUser } from './keyboard-user.js';

const ring = ':focus { outline: 2px solid #0b7259 }';

describeInBrowser('the user who has only a keyboard', (openPage) => {
  async function open(body: string, style = ring): Promise<{ user: KeyboardUser; page: Page }> {
    const { page } = await openPage({ baseUrl: 'http://127.0.0.1' });
    await page.setContent(
      `<!doctype html><html lang="en"><head><style>${style}</style></head><body>${body}</body></html>`,
    );
    return { user: new KeyboardUser(page), page };
  }

  async function lookAtFirst(body: string, style?: string): Promise<string> {
    const { user, page } = await open(body, style);
    await user.press('Tab');
    return findFocusFaults(await readFocus(page)).join('; ');
  }

  it('sees a ring that stands out, and a border that changes', async () => {
    expect(await lookAtFirst('<button>Go</button>')).toBe('');
    const framed = 'input { outline: 0; border: 1px solid #ddd } input:focus { border-color: #000 }';
    expect(await lookAtFirst('<input aria-label="Name">', framed)).toBe('');
    const inFrame = 'input { all: unset } p { border: 1px solid #ddd } p:focus-within { border-color: #000 }';
    expect(await lookAtFirst('<p><span><input aria-label="Name"></span></p>', inFrame)).toBe('');
  });

  it('misses a ring that is not there, too thin, as dark as its ground, or seen through, and a border that stays', async () => {
    const words = 'button "Go" shows no ring';
    for (const style of [
      ':focus { outline: none }',
      ':focus { outline: 1px solid #000 }',
      ':focus { outline: 2px solid #222 } body { background: #111 }',
      ':focus { outline: 2px solid rgba(0, 0, 0, 0.2) }',
      'button { outline: 0; border: 2px solid #000 }',
    ]) {
      expect(await lookAtFirst('<button>Go</button>', style)).toContain(words);
    }
  });

  it('misses what is behind a bar, outside the window, or taken before its turn', async () => {
    const bar = '<div style="position: fixed; inset: 0 0 auto; height: 99px; background: red"></div>';
    expect(await lookAtFirst(`<button>Go</button>${bar}`)).toContain('button "Go" has the focus out of sight');
    const away = '<button style="position: fixed; left: -500px">Go</button>';
    expect(await lookAtFirst(away)).toContain('out of sight');
    expect(await lookAtFirst('<button tabindex="3">Go</button>')).toContain('positive tabindex');
  });

  it('notices that nothing has the focus', async () => {
    const { user, page } = await open('<button onclick="this.remove()">Go</button>');
    await user.pressOn(page.getByRole('button'));
    expect(findFocusFaults(await readFocus(page))).toEqual(['the focus is on nothing']);
    await expect(user.expectFocusKept()).rejects.toThrow('the focus is on nothing instead of anything');
  }, 20_000);

  it('names what it passed when it does not reach its goal', async () => {
    const { user, page } = await open('<button>One</button><button>Two</button><p>Three</p>');
    await expect(user.tabTo(page.getByText('Three'))).rejects.toThrow(/is not reached .*button "One", button "Two"/);
  });

  it('notices a trap, and the end of a page without one', async () => {
    const trap = await open('<button>One</button><textarea onkeydown="event.preventDefault()"></textarea>');
    await expect(trap.user.walk()).rejects.toThrow('Tab does not come round');
    const free = await open('<button>One</button><button>Two</button>');
    expect(await free.user.walk()).toHaveLength(2);
  });

  it('notices a dialog that lets the focus out, and one that Escape does not close', async () => {
    const body =
      '<button>Open</button><div role="dialog"><button autofocus>Inside</button></div><button>After</button>';
    const { user, page } = await open(body);
    await page.evaluate("document.querySelector('[autofocus]').focus()");
    const dialog = page.getByRole('dialog');
    await expect(user.expectTrappedIn(dialog)).rejects.toThrow(/Tab leaves the dialog for button "After"/);
    page.setDefaultTimeout(500);
    await expect(user.expectEscapeReturnsTo(page.getByRole('button', { name: 'Open' }))).rejects.toThrow('Timeout');
  });

  it('notices stops that go against reading order', async () => {
    const orderOf = async (style: string) => {
      const { user } = await open('<main><button>One</button><button>Two</button></main>', `${ring} ${style}`);
      return findOrderFaults(await user.walk());
    };
    expect(await orderOf('main { display: flex }')).toEqual([]);
    expect(await orderOf('main { display: grid }')).toEqual([]);
    const fault = ['button "One" comes before button "Two"'];
    expect(await orderOf('main { display: flex; flex-direction: row-reverse }')).toEqual(fault);
    expect(await orderOf('main { display: flex; flex-direction: column-reverse }')).toEqual(fault);
  });
});

describe('the contrast of two colours', () => {
  it.each([
    ['rgb(0, 0, 0)', 'rgb(255, 255, 255)', 21],
    ['rgb(255, 255, 255)', 'rgb(255, 255, 255)', 1],
    ['rgb(118, 118, 118)', 'rgb(255, 255, 255)', 4.54],
    ['rgba(0, 0, 0, 0.2)', 'rgb(255, 255, 255)', 1],
  ])('of %s and %s is %d', (one, other, expected) => {
    expect(contrast(one, other)).toBeCloseTo(expected, 2);
  });
});
