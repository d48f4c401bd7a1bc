import { defineAsyncComponent } from 'vue'

/** `JsonView` for parts of the first page: the editor behind it is a fifth of the page's code, and is fetched when JSON is first shown. */
export const LazyJsonView = defineAsyncComponent(() => import('./JsonView.vue'))
