import { computed, reactive, ref, type ComputedRef, type Ref } from 'vue'

/** Sizes of the panel in its own pixels; null takes what room there is. */
export const panelSizes = {
  fill: { width: null, height: null },
  narrow: { width: 320, height: null },
  phone: { width: 375, height: 667 },
  tablet: { width: 768, height: null },
  wide: { width: 1024, height: null },
} as const satisfies Record<string, { readonly width: number | null; readonly height: number | null }>
export type SizeName = keyof typeof panelSizes | 'free'
export const sizeNames: readonly SizeName[] = ['fill', 'narrow', 'phone', 'tablet', 'wide', 'free']

/** In percent; 0 makes what is larger than the room smaller. */
export const zoomLevels = [0, 50, 67, 75, 80, 90, 100, 110, 125, 150, 200] as const
export type Zoom = (typeof zoomLevels)[number]
const LEAST_SCALE = 0.25
export const colorSchemes = ['system', 'light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

export const MIN_SIDE_PX = 120
export const MAX_SIDE_PX = 4_000
type Side = 'width' | 'height'

export interface PanelView {
  readonly size: Ref<SizeName>
  readonly zoom: Ref<Zoom>
  readonly scheme: Ref<ColorScheme>
  /** The room of the stage, in pixels of the window. */
  readonly stageSize: Record<Side, number>
  /** The panel's own pixels. */
  readonly width: ComputedRef<number>
  readonly height: ComputedRef<number>
  /** Pixels of the window for one of its own. */
  readonly scale: ComputedRef<number>
  /** Makes the size a free one. */
  resize(side: Side, pixels: number): void
}

/** How the panel is looked at: its size, zoom and color scheme. */
export function usePanelView(): PanelView {
  const size = ref<SizeName>('fill')
  const zoom = ref<Zoom>(0)
  const scheme = ref<ColorScheme>('system')
  const room = reactive({ width: 480, height: 640 })
  const free = reactive({ width: 480, height: 640 })
  const wanted = (side: Side): number | null => (size.value === 'free' ? free[side] : panelSizes[size.value][side])
  const scale = computed(() => {
    if (zoom.value > 0) return zoom.value / 100
    const fits = (['width', 'height'] as const).map((side) => room[side] / (wanted(side) ?? room[side]))
    return Math.max(LEAST_SCALE, Math.min(1, ...fits))
  })
  const own = (side: Side): number => wanted(side) ?? Math.max(MIN_SIDE_PX, Math.floor(room[side] / scale.value))
  const width = computed(() => own('width'))
  const height = computed(() => own('height'))
  return {
    size: computed({
      get: () => size.value,
      set(next) {
        // What is free begins with the size that there is.
        if (next === 'free') Object.assign(free, { width: width.value, height: height.value })
        size.value = next
      },
    }),
    zoom,
    scheme,
    stageSize: room,
    width,
    height,
    scale,
    resize(side, pixels) {
      if (size.value !== 'free') Object.assign(free, { width: width.value, height: height.value })
      free[side] = Math.round(Math.min(MAX_SIDE_PX, Math.max(MIN_SIDE_PX, pixels)))
      size.value = 'free'
    },
  }
}
