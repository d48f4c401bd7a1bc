import type { App } from 'vue'
import { router } from './router.ts'
import { reportFault } from './stores/page-faults.ts'

const place = (): string => String(router.currentRoute.value.name ?? 'start')

/** Sends everything uncaught to the service's log. */
export function installFaultHandlers(app: App, page: Window = window): void {
  app.config.errorHandler = (error, _instance, info) => {
    reportFault('component', error, `${place()}, ${info}`)
  }
  page.addEventListener('error', ({ error, message }: ErrorEvent) => {
    // Chromium's way of saying that a layout took two passes.
    if (message.startsWith('ResizeObserver loop')) return
    reportFault('script', error ?? message, place())
  })
  page.addEventListener('unhandledrejection', ({ reason }: PromiseRejectionEvent) => {
    reportFault('promise', reason, place())
  })
}
