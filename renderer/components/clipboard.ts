import { onScopeDispose, ref, type Ref } from 'vue'

/** Returns false if the browser allows neither the clipboard API nor the copy command. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** The browser's copy command needs no permission; the desktop app grants none. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'visually-hidden'
  // Only a focused field can be selected, and an open dialog keeps the focus inside.
  const container = document.querySelector('[role="dialog"][aria-modal="true"]') ?? document.body
  const focused = document.activeElement
  container.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}

const FEEDBACK_MS = 1500

/**
 * Copies texts and reports the result: `state` is `copied` or `failed` for a short time afterwards.
 */
export function useClipboardCopy(): { state: Ref<'idle' | 'copied' | 'failed'>; copy(text: string): Promise<void> } {
  const state = ref<'idle' | 'copied' | 'failed'>('idle')
  let timer: ReturnType<typeof setTimeout> | undefined
  async function copy(text: string): Promise<void> {
    state.value = (await copyText(text)) ? 'copied' : 'failed'
    clearTimeout(timer)
    timer = setTimeout(() => (state.value = 'idle'), FEEDBACK_MS)
  }
  onScopeDispose(() => {
    clearTimeout(timer)
  })
  return { state, copy }
}
