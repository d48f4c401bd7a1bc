import { defineAsyncComponent } from 'vue'

/**
 * `JsonView` for the first page: its editor is a fifth of the page's code and is loaded when JSON
 * is first shown.
 */
export const LazyJsonView = defineAsyncComponent(() => import('./JsonView.vue'))
