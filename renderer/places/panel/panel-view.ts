import { computed, reactive, ref, type ComputedRef, type Ref } from 'vue'

/** The lists beside the panel. */
export type PanelTab = 'calls' | 'timeline' | 'console' | 'allowed'

/** Sizes of the panel in its own pixels; null takes the available room. */
export const panelSizePresets = {
  fill: { width: null, height: null },
  narrow: { width: 320, height: null },
  phone: { width: 375, height: 667 },
  tablet: { width: 768, height: null },
  wide: { width: 1024, height: null },
} as const satisfies Record<string, { readonly width: number | null; readonly height: number | null }>
export type PanelSizeName = keyof typeof panelSizePresets | 'free'
export const panelSizeNames: readonly PanelSizeName[] = ['fill', 'narrow', 'phone', 'tablet', 'wide', 'free']

/** Percentages; 0 shrinks the panel until it fits the stage. */
export const panelZoomLevels = [0, 50, 67, 75, 80, 90, 100, 110, 125, 150, 200] as const
export type PanelZoom = (typeof panelZoomLevels)[number]
const MIN_SCALE = 0.25
export const colorSchemes = ['system', 'light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

export const MIN_PANEL_SIDE_PX = 120
export const MAX_PANEL_SIDE_PX = 4_000
type Side = 'width' | 'height'

export interface PanelView {
  readonly size: Ref<PanelSizeName>
  readonly zoom: Ref<PanelZoom>
  readonly scheme: Ref<ColorScheme>
  /** Room for the panel, in pixels of the window. */
  readonly stageSize: Record<Side, number>
  /** Size of the panel in its own pixels, before zooming. */
  readonly width: ComputedRef<number>
  readonly height: ComputedRef<number>
  /** Pixels of the window per pixel of the panel. */
  readonly scale: ComputedRef<number>
  /** Sets one side and switches to the size `free`. */
  resize(side: Side, pixels: number): void
}

export function usePanelView(): PanelView {
  const size = ref<PanelSizeName>('fill')
  const zoom = ref<PanelZoom>(0)
  const scheme = ref<ColorScheme>('system')
  const stageSize = reactive({ width: 480, height: 640 })
  const freeSize = reactive({ width: 480, height: 640 })
  const getFixedSide = (side: Side): number | null =>
    size.value === 'free' ? freeSize[side] : panelSizePresets[size.value][side]
  const scale = computed(() => {
    if (zoom.value > 0) return zoom.value / 100
    const ratios = (['width', 'height'] as const).map(
      (side) => stageSize[side] / (getFixedSide(side) ?? stageSize[side]),
    )
    return Math.max(MIN_SCALE, Math.min(1, ...ratios))
  })
  const getSide = (side: Side): number =>
    getFixedSide(side) ?? Math.max(MIN_PANEL_SIDE_PX, Math.floor(stageSize[side] / scale.value))
  const width = computed(() => getSide('width'))
  const height = computed(() => getSide('height'))
  return {
    size: computed({
      get: () => size.value,
      set(next) {
        // The size `free` starts with the current size.
        if (next === 'free') Object.assign(freeSize, { width: width.value, height: height.value })
        size.value = next
      },
    }),
    zoom,
    scheme,
    stageSize,
    width,
    height,
    scale,
    resize(side, pixels) {
      if (size.value !== 'free') Object.assign(freeSize, { width: width.value, height: height.value })
      freeSize[side] = Math.round(Math.min(MAX_PANEL_SIDE_PX, Math.max(MIN_PANEL_SIDE_PX, pixels)))
      size.value = 'free'
    },
  }
}
