/** Styles that vueuc mounts past naive-ui's style target; `widgets.css` has their rules instead. */
const mountedElsewhere = ['vueuc/virtual-list', 'vueuc/overflow', 'vueuc/binder', 'vueuc/x-scroll']

/**
 * Where naive-ui mounts its styles. The page's policy forbids inline style elements, so each becomes a constructed style sheet; the
 * element only stays here, where css-render looks for what it has mounted. Everything goes into the layer `widgets`: our own styles
 * are in none and win over it, whatever their specificity.
 */
class StyleTarget extends DocumentFragment {
  override insertBefore<T extends Node>(node: T, before: Node | null): T {
    // css-render puts what comes later first: a component's own rules override those of its parts.
    document.adoptedStyleSheets.unshift(sheetOf(node))
    return super.insertBefore(node, before)
  }

  override appendChild<T extends Node>(node: T): T {
    document.adoptedStyleSheets.push(sheetOf(node))
    return super.appendChild(node)
  }
}

function sheetOf(node: Node): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`@layer widgets {${node.textContent ?? ''}}`)
  return sheet
}

/** The `styleMountTarget` of the page's one config provider. */
export function getStyleTarget(): DocumentFragment {
  for (const id of mountedElsewhere) {
    // css-render looks for a `style` element with this id; one of another namespace is found, and is no style sheet.
    const mark = document.createElementNS('urn:mounted', 'style')
    mark.setAttribute('cssr-id', id)
    document.head.append(mark)
  }
  return new StyleTarget()
}
