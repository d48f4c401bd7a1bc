import type { BrowserWindow, WebContents, WebContentsView } from 'electron'
import type { PanelPlace } from '../handlers/ipc-dispatcher.ts'

/** The last colour scheme of each page is remembered, so that it is set only when it changes. */
const lastScheme = new WeakMap<WebContents, PanelPlace['scheme']>()

/**
 * Positions the view where our page requests it, or hides it so that it does not cover what our
 * page shows instead.
 */
export function positionView(window: BrowserWindow, view: WebContentsView, { bounds, zoom, scheme }: PanelPlace): void {
  const { webContents: contents } = view
  if (contents.isDestroyed()) return
  if (!window.contentView.children.includes(view)) window.contentView.addChildView(view)
  if (bounds === null) {
    const wasFocused = contents.isFocused()
    view.setVisible(false)
    // A page that is not visible must not receive keys.
    if (wasFocused) window.webContents.focus()
  } else {
    // Our page measures in CSS pixels, which its zoom enlarges.
    view.setBounds(scaleBounds(bounds, window.webContents.getZoomFactor()))
    view.setVisible(true)
    if (contents.getZoomFactor() !== zoom) contents.setZoomFactor(zoom)
  }
  if ((lastScheme.get(contents) ?? 'system') === scheme) return
  lastScheme.set(contents, scheme)
  setPreferredScheme(contents, scheme)
}

type Bounds = NonNullable<PanelPlace['bounds']>

/**
 * Scales to whole pixels. The edges are rounded rather than the size, so that no gap opens between
 * the page and its frame.
 */
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
 * Makes the page prefer light or dark. `nativeTheme` applies to the whole app, and the protocol of
 * the developer tools is Electron's only other way; it works beside open developer tools.
 */
export function setPreferredScheme(contents: WebContents, scheme: PanelPlace['scheme']): void {
  const { debugger: debugging } = contents
  if (!debugging.isAttached()) debugging.attach('1.3')
  const features = scheme === 'system' ? [] : [{ name: 'prefers-color-scheme', value: scheme }]
  debugging.sendCommand('Emulation.setEmulatedMedia', { features }).catch(() => undefined)
}

/** Sets the page's colour scheme again: opening or closing developer tools resets it. */
export function restorePreferredScheme(contents: WebContents): void {
  const scheme = lastScheme.get(contents)
  if (scheme !== undefined && !contents.isDestroyed()) setPreferredScheme(contents, scheme)
}
