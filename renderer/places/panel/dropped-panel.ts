import { useEventListener } from '@vueuse/core'
import { ref, type Ref } from 'vue'
import type { PanelSource } from '../../../shared/panel/panel.ts'
import { isRecordingName } from '../../../shared/recordings/recording.ts'
import { parsePanelSource } from './panel-source.ts'

/** A panel that was dropped on the window; of a folder, a browser may reveal only the name. */
export type DroppedPanel = { readonly source: PanelSource } | { readonly folderName: string }

/**
 * Offers to open an address or path that is dropped on the window. Browsers reveal only the name of
 * a dropped folder. A link that is dragged out of the panel is ignored.
 */
export function useDroppedPanel(isShown: () => boolean): Ref<DroppedPanel | null> {
  const dropped = ref<DroppedPanel | null>(null)
  let isOwnDrag = false
  const canDrop = ({ dataTransfer }: DragEvent): boolean =>
    isShown() &&
    dataTransfer !== null &&
    ['Files', 'text/uri-list', 'text/plain'].some((type) => dataTransfer.types.includes(type))
  useEventListener(window, 'dragover', (event) => {
    // A drag that begins in the panel gives it the focus; one from another window takes it away.
    isOwnDrag = document.hasFocus() && document.activeElement instanceof HTMLIFrameElement
    if (canDrop(event)) event.preventDefault()
  })
  useEventListener(window, 'drop', (event) => {
    const { dataTransfer, target } = event
    // Fields handle drops themselves.
    if (!canDrop(event) || dataTransfer === null || isTextField(target)) return
    event.preventDefault()
    const name = dataTransfer.files[0]?.name ?? null
    // The shell opens recordings.
    if (isRecordingName(name ?? '') || (name === null && isOwnDrag)) return
    const text = dataTransfer.getData('text/uri-list') || dataTransfer.getData('text/plain')
    const source = parsePanelSource(text)
    if (source) dropped.value = { source }
    else if (name !== null) dropped.value = { folderName: name }
  })
  return dropped
}

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
