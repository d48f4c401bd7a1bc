import type { App } from 'vue'
import { router } from './router.ts'
import { reportFault } from './stores/page-faults.ts'

const getPlaceName = (): string => String(router.currentRoute.value.name ?? 'start')

/** Writes uncaught errors of the page to the service's log. */
export function installFaultHandlers(app: App, page: Window = window): void {
  app.config.errorHandler = (error, _instance, info) => {
    reportFault('component', error, `${getPlaceName()}, ${info}`)
  }
  page.addEventListener('error', ({ error, message }: ErrorEvent) => {
    // Chromium reports a layout that took two passes as an error with this message.
    if (message.startsWith('ResizeObserver loop')) return
    reportFault('script', error ?? message, getPlaceName())
  })
  page.addEventListener('unhandledrejection', ({ reason }: PromiseRejectionEvent) => {
    reportFault('promise', reason, getPlaceName())
  })
}
