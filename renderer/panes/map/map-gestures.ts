import { useEventListener } from '@vueuse/core'
import { shallowRef, type Ref } from 'vue'
import { useSettings } from '../../stores/settings.ts'

interface MapGestureTarget {
  pan(x: number, y: number): void
  zoom(factor: number, x: number, y: number): void
}

/** A pointer that moves less than this presses, and does not drag. */
const MIN_DRAG_PX = 4
/** The zoom for 100 pixels of a wheel or of two fingers that spread. */
const WHEEL_ZOOM = 1.35
const LINE_PX = 18

/**
 * Pans by dragging; zooms by the wheel with Ctrl or Cmd, which is also what a pinch on a trackpad
 * sends, and by two fingers on a screen. The wheel alone, like two fingers on a trackpad, pans or
 * zooms as set; with Shift it always pans.
 */
export function useMapGestures(element: Readonly<Ref<HTMLElement | null>>, target: MapGestureTarget) {
  const settings = useSettings()
  const isDragging = shallowRef(false)
  const pointers = new Map<number, { x: number; y: number }>()
  let start: { x: number; y: number } | null = null

  const toPoint = (event: MouseEvent): { x: number; y: number } => {
    const box = element.value?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }

  useEventListener(
    element,
    'wheel',
    (event: WheelEvent) => {
      event.preventDefault()
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1
      const { x, y } = toPoint(event)
      const isZoom = settings.values.mapWheel === 'zoom' && !event.shiftKey && event.deltaY !== 0
      if (isZoom || event.ctrlKey || event.metaKey) target.zoom(WHEEL_ZOOM ** ((-event.deltaY * unit) / 100), x, y)
      else if (event.shiftKey && event.deltaX === 0) target.pan(event.deltaY * unit, 0)
      else target.pan(event.deltaX * unit, event.deltaY * unit)
    },
    { passive: false },
  )

  useEventListener(element, 'pointerdown', (event: PointerEvent) => {
    if (event.button > 1) return
    pointers.set(event.pointerId, toPoint(event))
    start = pointers.size === 1 ? toPoint(event) : null
    isDragging.value = pointers.size > 1
  })

  useEventListener(element, 'pointermove', (event: PointerEvent) => {
    const previous = pointers.get(event.pointerId)
    if (!previous) return
    const point = toPoint(event)
    if (start && Math.hypot(point.x - start.x, point.y - start.y) >= MIN_DRAG_PX) {
      start = null
      isDragging.value = true
      element.value?.setPointerCapture(event.pointerId)
    }
    if (!isDragging.value) return
    pointers.set(event.pointerId, point)
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
    if (other) {
      const distance = (from: { x: number; y: number }): number =>
        Math.max(1, Math.hypot(from.x - other.x, from.y - other.y))
      target.zoom(distance(point) / distance(previous), (point.x + other.x) / 2, (point.y + other.y) / 2)
      target.pan((previous.x - point.x) / 2, (previous.y - point.y) / 2)
    } else target.pan(previous.x - point.x, previous.y - point.y)
  })

  const onEnd = (event: PointerEvent): void => {
    pointers.delete(event.pointerId)
    // The click that follows a drag must still find it.
    if (pointers.size === 0) setTimeout(() => (isDragging.value = false))
  }
  useEventListener(window, ['pointerup', 'pointercancel'], onEnd)

  return { isDragging, toPoint }
}
