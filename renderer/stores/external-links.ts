import { defineStore } from './define-store.ts'
import { shallowRef } from 'vue'
import { createExternalOpener } from '../../shared/external-link.ts'
import { needsExternalConfirmation, openExternal } from '../ipc/call.ts'

/** Each address is checked and shown in full, and opened only if the user agrees. */
export const useExternalLinks = defineStore('external-links', () => {
  const pendingUrl = shallowRef<string | null>(null)
  let decide: (isAllowed: boolean) => void = () => undefined

  function askUser(href: string): Promise<boolean> {
    pendingUrl.value = href
    return new Promise((resolve) => (decide = resolve))
  }

  function resolvePending(isAllowed: boolean): void {
    pendingUrl.value = null
    decide(isAllowed)
  }

  const open = createExternalOpener({
    confirm: needsExternalConfirmation ? askUser : () => Promise.resolve(true),
    open: openExternal,
  })
  return { pendingUrl, resolvePending, open }
})
