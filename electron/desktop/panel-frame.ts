import type { App, BrowserWindow, OnBeforeRequestListenerDetails, WebContents } from 'electron'
import type { PanelProcess } from '../handlers/app-ports.ts'
import { CONTENT_SCHEME } from './content-protocol.ts'
import { allowFrames } from './navigation.ts'
import { APP_SCHEME } from './origin.ts'
import type { SecurityLogger } from './security-logger.ts'

/** Creates a check for addresses of panels, which have their own host on the listener's port. */
export function createPanelUrlCheck(port: number): (text: string) => boolean {
  return (text) => {
    if (!URL.canParse(text)) return false
    const url = new URL(text)
    const isWeb = url.protocol === 'http:' || url.protocol === 'ws:'
    const isOwnPort = url.port === String(port) && url.username === '' && url.password === ''
    return isWeb && isOwnPort && /^[0-9a-f]{32}\.localhost$/.test(url.hostname)
  }
}

type WindowRequest = Pick<OnBeforeRequestListenerDetails, 'url' | 'resourceType' | 'webContentsId'> & {
  readonly frame?: { readonly parent: unknown } | null | undefined
}

interface WindowSources {
  /** The id of the window's web contents. */
  readonly contentsId: number
  readonly isPanelUrl: (url: string) => boolean
  /** The socket of the development server of our own page; undefined in a packaged app. */
  readonly devSocket?: string | undefined
}

/**
 * Finds why a request of the window is refused; null if it is allowed. Our page reads its files and
 * the host's contents from schemes of its own, and panels have their listener. Nothing else is
 * reached, by whichever frame.
 */
export function findRequestRefusal(request: WindowRequest, sources: WindowSources): 'foreign' | 'remote' | null {
  const { url, resourceType, frame } = request
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase()
  // The first two are data that a page made itself, and no page can open the third.
  if (scheme === 'data:' || scheme === 'blob:' || scheme === 'devtools:') return null
  // A worker of our page has no frame. A panel's worker is kept off by the policy of its page.
  if (scheme === `${APP_SCHEME}:`) return frame?.parent ? 'foreign' : null
  if (scheme === `${CONTENT_SCHEME}:`) {
    const isElement = resourceType === 'image' || resourceType === 'media'
    const isOwn = request.webContentsId === sources.contentsId && frame?.parent === null
    return isElement && isOwn ? null : 'foreign'
  }
  if (resourceType === 'webSocket' && sources.devSocket && url.startsWith(`${sources.devSocket}/`)) return null
  return resourceType !== 'mainFrame' && sources.isPanelUrl(url) ? null : 'remote'
}

/**
 * Creates proxy rules that block connections for which Chromium makes no request (preconnects, TCP
 * of WebRTC), so that `findRequestRefusal` does not see them. All TCP goes to a proxy that does not
 * exist, loopback included, except for panels and the development server of our own page.
 */
export function createBlockingProxy(panelPort: number, devSocket?: string) {
  const allowedHosts = [`*.localhost:${panelPort}`, ...(devSocket ? [new URL(devSocket).host] : [])]
  return { proxyRules: 'http://127.0.0.1:1', proxyBypassRules: ['<-loopback>', ...allowedHosts].join(';') }
}

interface NetworkPorts {
  readonly contents: WebContents
  readonly panelPort: number
  readonly devSocket: string | undefined
  readonly log: SecurityLogger
}

/** Limits the whole window to its own schemes and to panels. Resolves when that is in force. */
export async function isolateWindow({ contents, panelPort, devSocket, log }: NetworkPorts): Promise<void> {
  const isPanelUrl = createPanelUrlCheck(panelPort)
  const sources = { contentsId: contents.id, isPanelUrl, devSocket }
  contents.session.webRequest.onBeforeRequest((request, respond) => {
    const reason = findRequestRefusal(request, sources)
    if (reason !== null) log('request refused', { reason, type: request.resourceType })
    respond({ cancel: reason !== null })
  })
  allowFrames(contents, isPanelUrl)
  // A panel's `beforeunload` must not keep the window open; our own page has no such handler.
  contents.on('will-prevent-unload', (event) => event.preventDefault())
  // UDP is subject neither to requests nor to proxies. Removing `RTCPeerConnection` from a page is
  // not enough, because a blank frame has its own; this policy applies to every frame and allows
  // only traffic through the proxy, which does not exist.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  await contents.session.setProxy(createBlockingProxy(panelPort, devSocket))
}

/** Area of the frame in CSS pixels of the window. */
interface FrameArea {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Returns the part of the panel's frame that is in sight; null if there is none, or if something
 * else, such as a dialog, lies over it: only the panel belongs in its picture. The edges are left
 * out, because handles lie over them.
 */
const FIND_FRAME_AREA = `(() => {
  const frame = document.querySelector('iframe[sandbox]')
  const viewport = frame?.parentElement?.parentElement
  if (!viewport) return null
  const [inner, outer] = [frame.getBoundingClientRect(), viewport.getBoundingClientRect()]
  const [x, y] = [Math.max(inner.left, outer.left), Math.max(inner.top, outer.top)]
  const right = Math.min(inner.right, outer.left + viewport.clientWidth)
  const bottom = Math.min(inner.bottom, outer.top + viewport.clientHeight)
  const [columns, rows] = [[x + 12, (x + right) / 2, right - 12], [y + 12, (y + bottom) / 2, bottom - 12]]
  const isFree = columns.every((column) => rows.every((row) => document.elementFromPoint(column, row) === frame))
  return isFree ? { x, y, width: right - x, height: bottom - y } : null
})()`

const PICTURE_WIDTH_PX = 480
const PICTURE_QUALITY = 60

/** Creates what takes a small picture of the panel's frame, as the user sees it. */
export function createPanelCamera(getWindow: () => BrowserWindow | null): () => Promise<Uint8Array | null> {
  return async () => {
    const window = getWindow()
    // A window that is not drawn would never deliver a picture.
    if (!window || window.isDestroyed() || !window.isVisible() || window.isMinimized()) return null
    const { webContents } = window
    const area = (await webContents.mainFrame.executeJavaScript(FIND_FRAME_AREA)) as FrameArea | null
    if (area === null) return null
    const zoom = webContents.getZoomFactor()
    const image = await webContents.capturePage({
      x: Math.round(area.x * zoom),
      y: Math.round(area.y * zoom),
      width: Math.floor(area.width * zoom),
      height: Math.floor(area.height * zoom),
    })
    if (image.isEmpty()) return null
    const { width } = image.getSize()
    return image.resize({ width: Math.min(width, PICTURE_WIDTH_PX), quality: 'good' }).toJPEG(PICTURE_QUALITY)
  }
}

/** The page takes the frame away meanwhile. A process that ends before is a crash in the page. */
const END_AFTER_MS = 250

/** The process of the panel's frame, if it is not the page's: its site is never our page's. */
export function createPanelProcess(
  app: Pick<App, 'getAppMetrics'>,
  getWindow: () => BrowserWindow | null,
  hasDevTools: boolean,
): PanelProcess {
  const listProcessIds = (): number[] => {
    const window = getWindow()
    if (!window || window.isDestroyed()) return []
    const { mainFrame } = window.webContents
    return mainFrame.frames.flatMap((frame) => {
      try {
        const { osProcessId } = frame
        return osProcessId > 0 && osProcessId !== mainFrame.osProcessId ? [osProcessId] : []
      } catch {
        // The frame's process has ended.
        return []
      }
    })
  }
  return {
    end() {
      const processIds = listProcessIds()
      setTimeout(() => {
        const running = new Set(app.getAppMetrics().map(({ pid }) => pid))
        for (const processId of processIds) if (running.has(processId)) process.kill(processId, 'SIGKILL')
      }, END_AFTER_MS)
    },
    getMemory() {
      const [processId] = listProcessIds()
      const metrics = app.getAppMetrics().find(({ pid }) => pid === processId)
      return metrics ? metrics.memory.workingSetSize * 1024 : null
    },
    openDevTools: hasDevTools ? () => getWindow()?.webContents.openDevTools({ mode: 'detach' }) : undefined,
  }
}
