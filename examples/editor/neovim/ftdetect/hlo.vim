autocmd BufRead,BufNewFile *.hlo,*after_optimizations*.txt,*before_optimizations*.txt setfiletype hlo
