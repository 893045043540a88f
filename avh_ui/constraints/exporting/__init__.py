"""Programs written for other tools' engines; what a tool cannot say is listed as left out, never silently dropped."""
