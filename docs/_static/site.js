// The buttons that open parts of the side bar have an icon only: they get a name.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("details > summary")) {
    if (!summary.textContent.trim()) summary.setAttribute("aria-label", "Show the pages below");
  }
});
