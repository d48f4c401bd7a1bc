import { shallowRef, type Directive } from 'vue'

/** `keys` follows the text in a lighter tone. */
interface TooltipContent {
  readonly text: string
  readonly keys?: string
}

interface ActiveTooltip extends TooltipContent {
  readonly anchor: HTMLElement
}

/** One layer of the page shows it: a component per tooltip would be too slow in long lists. */
export const activeTooltip = shallowRef<ActiveTooltip | null>(null)

const SHOW_DELAY_MS = 400
const contentByElement = new WeakMap<HTMLElement, TooltipContent>()
let timer: ReturnType<typeof setTimeout> | undefined

function show(anchor: HTMLElement, delay: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => {
    const tip = contentByElement.get(anchor)
    // In the menu of a bar, an icon stands beside its name.
    const isTold = anchor.matches('.menu-line > .more > .icon-button') && !tip?.keys
    if (tip && tip.text !== '' && anchor.isConnected && !isTold) activeTooltip.value = { ...tip, anchor }
  }, delay)
}

/** With `anchor`, hides only the tooltip of this element. */
export function hideTooltip(anchor?: HTMLElement): void {
  if (anchor && activeTooltip.value && activeTooltip.value.anchor !== anchor) return
  clearTimeout(timer)
  activeTooltip.value = null
}

const onEnter = ({ currentTarget }: Event): void => show(currentTarget as HTMLElement, SHOW_DELAY_MS)
const onFocus = (event: Event): void => {
  const target = event.currentTarget as HTMLElement
  if (target.matches(':focus-visible')) show(target, 0)
}
const onLeave = (event: Event): void => {
  hideTooltip(event.currentTarget as HTMLElement)
}

const toTooltipContent = (value: TooltipContent | string): TooltipContent =>
  typeof value === 'string' ? { text: value } : value

/** `v-tip="'text'"` or `v-tip="{ text, keys }"`, on hover and keyboard focus until Escape. */
export const vTip: Directive<HTMLElement, TooltipContent | string> = {
  mounted(element, { value }) {
    contentByElement.set(element, toTooltipContent(value))
    element.addEventListener('pointerenter', onEnter)
    element.addEventListener('focus', onFocus)
    for (const name of ['pointerleave', 'pointerdown', 'blur']) element.addEventListener(name, onLeave)
  },
  updated(element, { value }) {
    const tip = toTooltipContent(value)
    contentByElement.set(element, tip)
    if (activeTooltip.value?.anchor === element) activeTooltip.value = { ...tip, anchor: element }
  },
  beforeUnmount(element) {
    contentByElement.delete(element)
    hideTooltip(element)
  },
}
