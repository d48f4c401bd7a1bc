import { useElementSize } from '@vueuse/core'
import { computed, onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import type { MapBounds } from '../../model/map/map-layout.ts'
import { centerView, fitView, panView, revealBox, zoomView } from '../../model/map/map-view.ts'
import type { MapStage, MapView } from '../../model/map/map-view.ts'
import type { MapFrame, MapFrameRequest, MapPlan } from '../../stores/map.ts'

interface MapSource {
  readonly plan: Readonly<Ref<MapPlan | null>>
  readonly revision: Readonly<Ref<number>>
  readonly selected: () => number
  readonly current: () => number
  /** Called when the user pans or zooms, and not when the map moves to a card. */
  readonly onGesture: () => void
  draw(frame: MapFrameRequest): Promise<MapFrame>
  locate(node: number): Promise<MapBounds | null>
  findNearest(x: number, y: number): Promise<number>
}

interface ShownFrame extends MapFrame {
  readonly view: MapView
}

/** Cards one by one, and blocks of others. */
export interface WindowContent {
  readonly frame: MapFrameRequest
  readonly nodes: readonly number[]
  readonly blockCardCount: number
  readonly isOverview: boolean
}

/** The frame reaches beyond the window, so that a movement does not bring an empty edge along. */
const MARGIN_PX = 160
/** While the view moves, the last frame is moved along; new frames are drawn this often. */
const FRAME_INTERVAL_MS = 50
/** A card of which less than this is visible at an edge counts as unseen. */
const MIN_SEEN_PX = 64
const NO_BOUNDS: MapBounds = { left: 0, top: 0, right: 1, bottom: 1 }

/**
 * The part of the map that is in sight, and the frame that shows it. Until a new frame is drawn,
 * the last one is moved and scaled, so that gestures never wait for drawing.
 */
export function useMapCamera(
  element: Readonly<Ref<HTMLElement | null>>,
  canvas: Readonly<Ref<HTMLCanvasElement | null>>,
  source: MapSource,
) {
  const { width, height } = useElementSize(element)
  const view = shallowRef<MapView | null>(null)
  const frame = shallowRef<ShownFrame | null>(null)
  const stage = computed((): MapStage => {
    const size = { width: Math.round(width.value), height: Math.round(height.value) }
    return {
      bounds: source.plan.value?.bounds ?? NO_BOUNDS,
      projection: source.plan.value?.projection ?? 'right',
      size,
    }
  })
  const isReady = computed(
    () => source.plan.value !== null && stage.value.size.width > 0 && stage.value.size.height > 0,
  )
  /** False until the user moves the map, which then stays where it is. */
  let isMoved = false
  /** The card that keeps its place in the window when the rows change. */
  let anchor = -1
  let isWanted = false
  let isDrawing = false
  let isClosed = false

  function requestFrame(): void {
    isWanted = true
    if (!isDrawing) void drawFrames()
  }

  async function drawFrames(): Promise<void> {
    isDrawing = true
    try {
      while (isWanted && !isClosed) {
        isWanted = false
        const startedAt = performance.now()
        await drawFrame()
        const restMs = FRAME_INTERVAL_MS - (performance.now() - startedAt)
        if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
      }
    } catch {
      // The source reports why the worker failed.
    } finally {
      isDrawing = false
    }
  }

  const describeFrame = (frameView: MapView, margin: number): MapFrameRequest => ({
    view: frameView,
    size: stage.value.size,
    margin,
    scale: window.devicePixelRatio || 1,
    selected: source.selected(),
    current: source.current(),
  })

  async function drawFrame(): Promise<void> {
    if (!view.value || !isReady.value) return
    const frameView = view.value
    const nextFrame = await source.draw(describeFrame(frameView, MARGIN_PX))
    const target = canvas.value
    if (isClosed || !target) return nextFrame.bitmap.close()
    target.width = nextFrame.bitmap.width
    target.height = nextFrame.bitmap.height
    target.getContext('bitmaprenderer')?.transferFromImageBitmap(nextFrame.bitmap)
    frame.value = { ...nextFrame, view: frameView }
  }

  /** Moves the last frame to where it belongs in the view. */
  const canvasStyle = computed(() => {
    const { size } = stage.value
    const [shownView, next] = [frame.value?.view, view.value]
    const box = { width: `${size.width + 2 * MARGIN_PX}px`, height: `${size.height + 2 * MARGIN_PX}px` }
    if (!shownView || !next) return box
    const [scaleX, scaleY] = [next.zoomX / shownView.zoomX, next.zoomY / shownView.zoomY]
    const x = (shownView.x - next.x) * next.zoomX - MARGIN_PX * scaleX
    const y = (shownView.y - next.y) * next.zoomY - MARGIN_PX * scaleY
    return { ...box, transform: `matrix(${scaleX}, 0, 0, ${scaleY}, ${x}, ${y})` }
  })

  /** Index of the shape at a position in the window; -1 if there is none. */
  function findShape(x: number, y: number): number {
    const [shownFrame, now] = [frame.value, view.value]
    if (!shownFrame || !now) return -1
    const frameX = (now.x + x / now.zoomX - shownFrame.view.x) * shownFrame.view.zoomX + MARGIN_PX
    const frameY = (now.y + y / now.zoomY - shownFrame.view.y) * shownFrame.view.zoomY + MARGIN_PX
    const { nodes, boxes } = shownFrame.shapes
    for (let index = nodes.length - 1; index >= 0; index -= 1) {
      const [left = 0, top = 0, boxWidth = 0, boxHeight = 0] = boxes.subarray(index * 4, index * 4 + 4)
      const slack = Math.max(0, (4 - boxHeight) / 2)
      if (frameX >= left && frameX <= left + boxWidth && frameY >= top - slack && frameY <= top + boxHeight + slack)
        return index
    }
    return -1
  }

  /** Place of a card in the window as the last frame shows it. */
  function findBox(node: number): { x: number; y: number; width: number; height: number } | null {
    const [shownFrame, now] = [frame.value, view.value]
    const index = shownFrame?.shapes.nodes.indexOf(node) ?? -1
    if (!shownFrame || !now || index < 0) return null
    const [left = 0, top = 0, boxWidth = 0, boxHeight = 0] = shownFrame.shapes.boxes.subarray(index * 4, index * 4 + 4)
    const x = ((left - MARGIN_PX) / shownFrame.view.zoomX + shownFrame.view.x - now.x) * now.zoomX
    const y = ((top - MARGIN_PX) / shownFrame.view.zoomY + shownFrame.view.y - now.y) * now.zoomY
    return {
      x,
      y,
      width: (boxWidth / shownFrame.view.zoomX) * now.zoomX,
      height: (boxHeight / shownFrame.view.zoomY) * now.zoomY,
    }
  }

  /** True if the frame of this view has no card in the window of which enough can be seen. */
  const isEmpty = computed(() => {
    const shownFrame = frame.value
    if (!shownFrame || shownFrame.view !== view.value || !source.plan.value?.cardCount) return false
    const shownWindow = { size: stage.value.size, margin: MARGIN_PX }
    return listIndexesInWindow(shownFrame.shapes, shownWindow, MIN_SEEN_PX).length === 0
  })

  async function showNearest(): Promise<void> {
    const [now, { size }] = [view.value, stage.value]
    if (!now) return
    const node = await source.findNearest(now.x + size.width / 2 / now.zoomX, now.y + size.height / 2 / now.zoomY)
    if (node >= 0) await show(node)
  }

  function move(next: MapView): void {
    isMoved = true
    view.value = next
  }
  const withView = (change: (now: MapView) => MapView): void => {
    if (view.value && isReady.value) move(change(view.value))
  }

  function fit(): void {
    if (!isReady.value) return
    isMoved = false
    view.value = fitView(stage.value)
  }

  /** @param x position in the window that stays in its place; the default is the middle */
  function zoom(factor: number, x = stage.value.size.width / 2, y = stage.value.size.height / 2): void {
    withView((now) => zoomView(now, stage.value, factor, x, y))
    source.onGesture()
  }
  function pan(x: number, y: number): void {
    withView((now) => panView(now, stage.value, x, y))
    source.onGesture()
  }
  const center = (x: number, y: number): void =>
    withView((now) => centerView(stage.value, Math.min(now.zoomX, now.zoomY), x, y))

  async function resetZoom(): Promise<void> {
    const box = source.selected() < 0 ? null : await source.locate(source.selected())
    const { size } = stage.value
    withView((now) =>
      centerView(
        stage.value,
        1,
        box ? (box.left + box.right) / 2 : now.x + size.width / 2 / now.zoomX,
        box ? (box.top + box.bottom) / 2 : now.y + size.height / 2 / now.zoomY,
      ),
    )
  }

  async function show(node: number): Promise<void> {
    const box = await source.locate(node)
    if (box) withView((now) => revealBox(now, stage.value, box))
  }

  /** Keeps the anchor where it is in the window, although the rows have other places now. */
  async function holdAnchor(): Promise<void> {
    const candidates = [anchor, source.selected(), findCentralNode()].filter((node) => node >= 0)
    anchor = -1
    for (const node of candidates) {
      const before = findBox(node)
      const box = before && (await source.locate(node))
      const now = view.value
      if (!before || !box || !now) continue
      view.value = panView(
        { ...now, x: box.left - before.x / now.zoomX, y: box.top - before.y / now.zoomY },
        stage.value,
        0,
        0,
      )
      return
    }
    if (view.value) view.value = panView(view.value, stage.value, 0, 0)
  }

  /** Draws for a file: the frame in sight may be of an earlier view. Null if there is nothing. */
  async function drawWindow(): Promise<WindowContent | null> {
    if (!view.value || !isReady.value) return null
    const request = describeFrame(view.value, 0)
    const { bitmap, shapes } = await source.draw(request)
    bitmap.close()
    const { nodes, blockSizes, isOverview = false } = shapes
    const indexes = listIndexesInWindow(shapes, request)
    const getBlockSize = (index: number): number => blockSizes[index] ?? 0
    return {
      frame: request,
      nodes: indexes.filter((index) => getBlockSize(index) === 0).map((index) => nodes[index] ?? 0),
      blockCardCount: indexes.reduce((count, index) => count + getBlockSize(index), 0),
      isOverview,
    }
  }

  function findCentralNode(): number {
    const { size } = stage.value
    const index = findShape(size.width / 2, size.height / 2)
    return index < 0 ? -1 : (frame.value?.shapes.nodes[index] ?? -1)
  }

  watch([source.plan, () => stage.value.size.width, () => stage.value.size.height], async ([plan], [previous]) => {
    if (!isReady.value) return
    if (view.value === null || !isMoved || previous?.projection !== plan?.projection) fit()
    else if (plan !== previous) await holdAnchor()
    else view.value = panView(view.value, stage.value, 0, 0)
    requestFrame()
  })
  watch([view, source.revision, source.selected, source.current], requestFrame)
  onScopeDispose(() => (isClosed = true))

  return {
    view,
    frame,
    stage,
    canvasStyle,
    fit,
    zoom,
    pan,
    center,
    resetZoom,
    show,
    isEmpty,
    showNearest,
    findShape,
    findBox,
    drawWindow,
    keepInPlace: (node: number) => (anchor = node),
  }
}

/** The shapes with cards of which the window shows more than a width. */
function listIndexesInWindow(
  { nodes, boxes }: MapFrame['shapes'],
  { size, margin }: Pick<MapFrameRequest, 'size' | 'margin'>,
  minWidth = 0,
): number[] {
  return [...nodes.keys()].filter((index) => {
    const [left = 0, top = 0, width = 0, height = 0] = boxes.subarray(index * 4, index * 4 + 4)
    const [x, y] = [left - margin, top - margin]
    const seenWidth = Math.min(size.width, x + width) - Math.max(0, x)
    const isInWindow = seenWidth > Math.min(width / 2, minWidth) && y < size.height && y + height > 0
    return isInWindow && (nodes[index] ?? -1) >= 0
  })
}
