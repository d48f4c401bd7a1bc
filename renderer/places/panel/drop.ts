import { useEventListener } from '@vueuse/core'
import { ref, type Ref } from 'vue'
import type { PanelSource } from '../../../shared/panel/panel.ts'
import { sourceFrom } from './source.ts'

/**
 * What is dropped on the window: an address or a path opens at once. Of a folder a page is told the name and not the place, so `dropped` holds
 * that name, for whoever then chooses the folder.
 */
export function useDrop(
  open: (source: PanelSource) => void,
  isShown: () => boolean,
): { readonly dropped: Ref<string | null> } {
  const dropped = ref<string | null>(null)
  const isOurs = ({ dataTransfer }: DragEvent): boolean =>
    isShown() &&
    dataTransfer !== null &&
    ['Files', 'text/uri-list', 'text/plain'].some((type) => dataTransfer.types.includes(type))
  useEventListener(window, 'dragover', (event) => {
    if (isOurs(event)) event.preventDefault()
  })
  useEventListener(window, 'drop', (event) => {
    const { dataTransfer, target } = event
    // A field takes what is dropped on it.
    if (!isOurs(event) || dataTransfer === null || isField(target)) return
    event.preventDefault()
    const text = dataTransfer.getData('text/uri-list') || dataTransfer.getData('text/plain')
    const source = sourceFrom(text)
    if (source) open(source)
    else dropped.value = dataTransfer.files[0]?.name ?? null
  })
  return { dropped }
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
