/**
 * Measures texts in the font of an element, without layout.
 * @returns a function that gives a width in pixels; 0 if the browser cannot measure texts
 */
export function createTextMeasure(): (text: string, element: Element | null) => number {
  const widths = new Map<string, number>()
  let context: CanvasRenderingContext2D | null = null
  return (text, element) => {
    if (element === null) return 0
    if (context === null) {
      context = document.createElement('canvas').getContext('2d')
      if (context) context.font = getComputedStyle(element).font
    }
    let width = widths.get(text)
    if (width === undefined) {
      if (widths.size > MAX_CACHED_TEXTS) widths.clear()
      width = context?.measureText(text).width ?? 0
      widths.set(text, width)
    }
    return width
  }
}

const MAX_CACHED_TEXTS = 2_000
