import type { BrowserWindow, WebContents, WebContentsView } from 'electron'
import type { PanelPlace } from '../handlers/ipc-dispatcher.ts'

/** What each page was last told to prefer, so that a page at rest is left alone. */
const lastScheme = new WeakMap<WebContents, PanelPlace['scheme']>()

/** Puts the view where our page says, or hides it, so that it never covers what our page shows there instead. */
export function positionView(window: BrowserWindow, view: WebContentsView, { bounds, zoom, scheme }: PanelPlace): void {
  const { webContents: contents } = view
  if (contents.isDestroyed()) return
  if (!window.contentView.children.includes(view)) window.contentView.addChildView(view)
  if (bounds === null) {
    const focused = contents.isFocused()
    view.setVisible(false)
    // Keys must not go to a page that cannot be seen.
    if (focused) window.webContents.focus()
  } else {
    // Our page measures in its own pixels, which its zoom makes larger.
    view.setBounds(scaleBounds(bounds, window.webContents.getZoomFactor()))
    view.setVisible(true)
    if (contents.getZoomFactor() !== zoom) contents.setZoomFactor(zoom)
  }
  if ((lastScheme.get(contents) ?? 'system') === scheme) return
  lastScheme.set(contents, scheme)
  setPreferredScheme(contents, scheme)
}

type Bounds = NonNullable<PanelPlace['bounds']>

/** Whole pixels, with the edges rounded rather than the size, so that no gap opens between the page and its frame. */
export function scaleBounds({ x, y, width, height }: Bounds, factor: number): Bounds {
  const [left, top] = [Math.round(x * factor), Math.round(y * factor)]
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.round((x + width) * factor) - left),
    height: Math.max(1, Math.round((y + height) * factor) - top),
  }
}

/**
 * Makes the page prefer light or dark. `nativeTheme` is for the whole app, and Electron has no other way for one page than the protocol of
 * its developer tools, which works beside open ones.
 */
export function setPreferredScheme(contents: WebContents, scheme: PanelPlace['scheme']): void {
  const { debugger: tools } = contents
  if (!tools.isAttached()) tools.attach('1.3')
  const features = scheme === 'system' ? [] : [{ name: 'prefers-color-scheme', value: scheme }]
  tools.sendCommand('Emulation.setEmulatedMedia', { features }).catch(() => undefined)
}

/** Tells the page again what it prefers: opening or closing developer tools makes it forget. */
export function restorePreferredScheme(contents: WebContents): void {
  const scheme = lastScheme.get(contents)
  if (scheme !== undefined && !contents.isDestroyed()) setPreferredScheme(contents, scheme)
}
